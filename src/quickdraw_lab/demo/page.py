"""The files of the demo: pictures, and one page that shows them."""

from collections.abc import Sequence
from pathlib import Path

from quickdraw_lab.demo.chapters import Chapter
from quickdraw_lab.demo.plot import draw_others, draw_story
from quickdraw_lab.files import write_csv
from quickdraw_lab.pages import Picture, write_page
from quickdraw_lab.pictures import save
from quickdraw_lab.play.traces import round_rows

PAGE = "demo.html"

LEAD = (
    "Adaptive Quick-Draw has no parameters to set. It estimates the reward of every option from the rewards seen so "
    "far, gives more weight to those that are close and recent, learns while it plays how close and how recent that "
    "is, and plays the option with the largest upper confidence bound. Below it plays against the five policies of the "
    "paper, twice."
)

CODE = """\
import quickdraw_bandits as qd

arms = qd.Arms.grid(5, 50, 1000)              # a thousand prices from 5 to 50
policy = qd.AdaptiveQuickDraw(arms)
arm = policy.select(time=0.0)                 # the position of the chosen arm
policy.update(time=0.0, arm=arm, reward=0.7)  # and so on, with any clock"""

STORY = (
    "First panel: the true mean reward (dark is high), with the chosen arms as dots. Small grey dots are the random "
    "warm-up, which is the same for all policies. Second: what the policy estimated for every arm at that time, from "
    "what it had seen so far. Third: the regret of all policies, summed over rounds. A line is flat while its policy "
    "plays the best arm."
)

OTHERS = "The arms that the other policies chose, with their regret per round."


def write_demo(chapters: Sequence[Chapter], out: Path) -> list[str]:
    """Write the pictures, the rounds and the page; return the names of the files, the page first."""
    shown, written = [], []
    for chapter in chapters:
        name = chapter.setting.name
        pictures: dict[str, Picture] = {}
        for suffix, draw, dpi, caption in (("", draw_story, 130, STORY), ("_others", draw_others, 110, OTHERS)):
            wide, narrow = out / f"{name}{suffix}.png", out / f"{name}{suffix}_phone.png"
            save(draw(chapter), wide, dpi=dpi)
            save(draw(chapter, narrow=True), narrow, dpi=130)
            pictures[suffix] = Picture.read([wide], caption, narrow=narrow)
            written += [wide.name, narrow.name]
        rounds = out / f"{name}_rounds.csv"
        write_csv(rounds, round_rows(chapter.traces))
        written.append(rounds.name)
        shown.append(
            {
                "name": name,
                "title": chapter.setting.title,
                "text": chapter.setting.text,
                "rows": chapter.rows(),
                "story": pictures[""],
                "others": pictures["_others"],
            }
        )
    write_page(out / PAGE, "demo.html", lead=LEAD, chapters=shown, code=CODE)
    return [PAGE, *written]
