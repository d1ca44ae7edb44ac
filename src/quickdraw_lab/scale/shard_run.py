"""All measurements of shards. Each is written at once; running it again continues where it stopped."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from quickdraw_lab.files import replacing
from quickdraw_lab.scale.fan_out_measured import fan_out
from quickdraw_lab.scale.run import settings_of
from quickdraw_lab.scale.shards import ShardRow, shard_measures

FAN_OUT = "fan-out"


def run_shards(path: Path, quick: bool, say: Callable[[str], None]) -> dict[str, ShardRow]:
    """Measure what is not in the file yet, and return the rows of it."""
    settings = dict(settings_of(quick))
    content: dict[str, Any] = {**settings, "rows": {}, FAN_OUT: []}
    if path.exists():
        content = json.loads(path.read_text(encoding="utf-8"))
        for name, value in settings.items():
            if content.get(name) != value:
                raise ValueError(f"{path} was measured with {name} {content.get(name)!r}; choose another --out")
    for name, measure in shard_measures(quick).items():
        if name not in content["rows"]:
            say(f"{name} …")
            content["rows"][name] = asdict(measure())
            _write(path, content)
    if not content[FAN_OUT]:
        say("fan-out …")
        content[FAN_OUT] = [asdict(each) for each in fan_out(200 if quick else 2000, 10_000)]
        _write(path, content)
    return {name: ShardRow(**row) for name, row in content["rows"].items()}


def _write(path: Path, content: dict[str, object]) -> None:
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
