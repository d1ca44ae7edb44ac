"""One build for all tests of packaging, and environments with only those libraries that the wheel's metadata names.

Such an environment is made from the libraries of the running one, without a network: a library is linked, with all
that it requires in turn. What the metadata forgets is missing, as it would be after ``pip install``.
"""

import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def distributions(tmp_path_factory):
    """Return the folder with an sdist, and the wheel built from that sdist, as an index would get them."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="session")
def wheel_file(distributions):
    (path,) = distributions.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def sdist_file(distributions):
    (path,) = distributions.glob("*.tar.gz")
    return path


@pytest.fixture(scope="session")
def installed(tmp_path_factory, wheel_file):
    """Return the folder of a new environment with the wheel and nothing else; it compiles what it needs once."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet", "--no-index", "--no-deps"]
    options = ["--no-compile", "--disable-pip-version-check"]
    subprocess.run([*pip, *options, str(wheel_file)], check=True, capture_output=True)
    return folder


@pytest.fixture
def fresh(tmp_path, installed):
    """Return a function that brings some extras to the environment."""
    return lambda *extras: Fresh(tmp_path, installed, extras)


class Fresh:
    """The environment with the wheel, and the libraries of some extras.

    Parameters
    ----------
    folder
        Where to link the libraries, and where programs run.
    environment
        The environment.
    extras
        Extras of the wheel whose libraries are there too; the core's always are.
    """

    def __init__(self, folder: Path, environment: Path, extras: tuple[str, ...] = ()) -> None:
        self.folder, self.environment, self.links = folder, environment, folder / "libraries"
        self.links.mkdir()
        site = Path(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))
        (metadata,) = site.glob("quickdraw_bandits-*.dist-info")
        self.libraries = _closure(Distribution.at(metadata), set(extras))
        for name in self.libraries:
            _link(distribution(name), self.links)

    def run(self, *command: str, **options: object) -> subprocess.CompletedProcess[str]:
        """Run Python there, apart from the folder and the settings of the caller."""
        python = self.environment / "bin" / "python"
        # Of the caller's variables none may pass, least of all PYTHONPATH, which points to the sources.
        # Without optimisation, compiling takes a fraction of the time, and whether it works is the same.
        variables = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "NUMBA_NUM_THREADS": "2", "NUMBA_OPT": "0"}
        return subprocess.run(
            [str(python), *command],
            cwd=self.folder,
            env={**variables, "PYTHONPATH": str(self.links)},
            capture_output=True,
            text=True,
            **options,
        )


def _closure(root: Distribution, extras: set[str]) -> set[str]:
    """Return the names of all libraries that a distribution requires with some extras, directly or not."""
    found: set[tuple[str, str]] = set()
    waiting = [(line, extra) for line in root.requires or () for extra in ("", *extras)]
    while waiting:
        line, extra = waiting.pop()
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({**default_environment(), "extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for wanted in ("", *requirement.extras):
            if (name, wanted) not in found:
                found.add((name, wanted))
                waiting += [(inner, wanted) for inner in distribution(name).requires or ()]
    return {name for name, _ in found} - {"quickdraw-bandits"}


def _link(library: Distribution, site: Path) -> None:
    """Link the top folders and files of a library; folders that several libraries share are linked one level down."""
    tops = {file.parts[0] for file in library.files or () if file.parts[0] not in ("..", "__pycache__", "/")}
    for top in sorted(tops):
        source, target = Path(str(library.locate_file(top))), site / top
        if not target.exists():
            target.symlink_to(source)
        elif target.is_dir() and target.resolve() != source.resolve():
            raise NotImplementedError(f"{library.name} shares the folder {top} with another library")
