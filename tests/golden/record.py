"""Write the choices of all games to choices.json: ``python tests/golden/record.py``.

Run it only where choices are meant to change, in a commit of its own that says why. It says which games did.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from games import games

CHOICES = Path(__file__).parent / "choices.json"


def main() -> None:
    before = json.loads(CHOICES.read_text()) if CHOICES.exists() else {}
    after = {}
    for name, game in games():
        try:
            after[name] = game()
        except Exception as error:
            after[name] = [f"{type(error).__name__}: {error}"]
            print(f"raised: {name}: {error}")
        if name in before and before[name] != after[name]:
            first = next(k for k, (a, b) in enumerate(zip(before[name], after[name], strict=False)) if a != b)
            print(f"changed from round {first} on: {name}")
    for name in before.keys() - after.keys():
        print(f"gone: {name}")
    lines = (f"{json.dumps(name)}: {json.dumps(chosen, separators=(',', ':'))}" for name, chosen in after.items())
    temporary = CHOICES.with_suffix(".tmp")
    temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    temporary.replace(CHOICES)
    print(f"{len(after)} games")


if __name__ == "__main__":
    main()
