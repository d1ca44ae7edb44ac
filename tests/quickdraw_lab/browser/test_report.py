"""The report in a real browser; collected only where there is one."""

import re
import shutil
import subprocess

import pytest

from quickdraw_lab.figures.f2_random_fields import make_fields
from quickdraw_lab.figures.f4_to_f9_sweeps import SWEEPS, draw_sweep
from quickdraw_lab.pictures import save_both
from quickdraw_lab.report import report_page
from quickdraw_lab.testbed import TestBed

# What the browser shows is written into the page by a script, which only this copy of the page has and allows.
SHOWN = """
<script>addEventListener("load", () => {
  const size = each => {
    const box = each.getBoundingClientRect();
    return Math.round(Math.min(box.width, box.height));
  };
  const image = i => `image ${i.alt.split(".")[0]} ${i.complete && i.naturalWidth} ${size(i)}`;
  const table = t => `table ${t.dataset.name} ${t.rows.length} ${size(t)}`;
  const shown = [...document.images].map(image).concat([...document.querySelectorAll("table")].map(table));
  document.body.innerHTML = shown.join(";");
});</script></body>
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    make_fields("F2", TestBed(n_arms=20, n_rounds=20, warmup=5), results)
    rows = [
        {"parameter": "alpha", "value": value, "policy": policy, "field": field,
         "regret_per_round": value, "seconds": 1.0}
        for value in (1.0, 2.0) for policy in ("Random", "QuickDraw") for field in range(2)
    ]  # fmt: skip
    save_both(draw_sweep(rows, "x", logarithmic=False), results, "F5")
    lines = [",".join(map(str, row.values())) for row in rows]
    (results / "F5.csv").write_text("\n".join([",".join(rows[0]), *lines]) + "\n")
    lines = ["parameter,value,policy,field,regret_per_round,seconds"]
    lines += [f"l_x,{value},QuickDraw,{f},{1 / value + f},1.0" for value in SWEEPS["F8"].values for f in range(3)]
    (results / "F8.csv").write_text("\n".join(lines) + "\n")  # for which the paper claims something
    return results


def browse(tmp_path, *arguments):
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    options = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync --disable-dev-shm-usage"
    )
    command = [program, *options.split(), f"--user-data-dir={tmp_path / 'profile'}", *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    except subprocess.TimeoutExpired as late:  # a busy machine's Chromium may print the whole page and then not end
        shown = (late.stdout or b"").decode()
        if not shown.rstrip().endswith("</html>"):
            raise
        return shown


def test_every_figure_and_table_shows(folder, tmp_path):
    page = report_page(folder)
    watched = re.sub("<meta http-equiv.*?>", "", page).replace("</body>", SHOWN)
    (tmp_path / "watched.html").write_text(watched, encoding="utf-8")
    shown = browse(tmp_path, "--dump-dom", f"file://{tmp_path}/watched.html")
    body = re.search("<body>(.*?)</body>", shown, re.DOTALL)[1]
    sizes = {tuple(each.split()[:2]): [int(n) for n in each.split()[2:]] for each in body.split(";")}
    names = [("image", "F2"), ("image", "F5"), ("table", "claims"), *(("table", name) for name in ("F2", "F5", "F8"))]
    assert set(sizes) == set(names)
    for (kind, _), (inside, outside) in sizes.items():
        assert inside >= (100 if kind == "image" else 2)
        assert outside >= 50


def test_opens_from_disk_as_it_is(folder, tmp_path):
    """With the page's own rule that nothing may be loaded, its pictures still do: the picture of it is not blank."""
    (tmp_path / "page.html").write_text(report_page(folder), encoding="utf-8")
    browse(tmp_path, "--window-size=900,4000", f"--screenshot={tmp_path / 'page.png'}", f"file://{tmp_path}/page.html")
    from matplotlib.image import imread

    pixels = imread(tmp_path / "page.png")[..., :3]
    blue_grey = (pixels.max(axis=2) - pixels.min(axis=2) > 0.02) & (pixels.max(axis=2) < 0.9)  # the field of F2
    assert blue_grey.sum() > 20_000


WIDTHS = """
<script>addEventListener("load", () => {
  const right = Math.max(...[...document.querySelectorAll(".verdict")].map(v => v.getBoundingClientRect().right));
  document.body.innerHTML = `${right} ${document.documentElement.scrollWidth} ${innerWidth}`;
});</script></body>
"""


def test_verdicts_are_in_sight_on_a_narrow_screen(folder, tmp_path):
    watched = re.sub("<meta http-equiv.*?>", "", report_page(folder)).replace("</body>", WIDTHS)
    (tmp_path / "narrow.html").write_text(watched, encoding="utf-8")
    shown = browse(tmp_path, "--window-size=500,900", "--dump-dom", f"file://{tmp_path}/narrow.html")
    right, page, window = map(float, re.search("<body>(.*?)</body>", shown, re.DOTALL)[1].split())
    assert 0 < right <= window
    assert page <= window
