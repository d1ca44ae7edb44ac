"""A short try of what each extra is for; run in an environment that has that extra and nothing else.

``python smoke.py core`` tries the core. A function is named after its extra.
"""

import importlib
import pkgutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path


def core():
    """NumPy and Numba are enough to choose, learn, save and load; everything else says what to install."""
    import quickdraw_bandits as qd

    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 9), seed=0)
    for time in range(5):
        policy.update(time, policy.select(time), 0.1 * time)
    qd.save(policy, "policy.qd")
    assert qd.load("policy.qd").select(9.0) == policy.select(9.0)
    assert "play" in command("--help")
    for library in ("scipy", "matplotlib", "polars", "gymnasium", "gstools", "rich"):
        assert find_spec(library) is None, f"{library} is here, so that this environment proves nothing"
    assert "quickdraw-bandits[fields]" in refusal(qd.environments.RandomField)
    assert "quickdraw-bandits[gym]" in refusal(lambda: importlib.import_module("quickdraw_bandits.gym"))


def fields():
    import quickdraw_bandits as qd

    assert qd.environments.RandomField(n_arms=5, n_rounds=4).mean.shape == (4, 5)


def plots():
    import quickdraw_bandits as qd

    assert len(qd.plots.trace(a_trace())) == 2


def terminal():
    import rich.progress

    from quickdraw_cli.progress import progress_bars

    with progress_bars("rounds") as open_bar:
        open_bar("Random")(1, 2)
    assert rich.progress.Progress


def parquet():
    assert a_trace().to_frame("pyarrow").num_rows == 4


def tables():
    import polars

    import quickdraw_bandits as qd

    assert len(a_trace().to_frame()) == 4
    log = polars.DataFrame({"time": [0.0, 1.0], "arm": [0, 1], "reward": [1.0, 0.0], "propensity": [0.5, 0.5]})
    log.write_csv("log.csv")
    log.write_parquet("log.parquet")
    assert len(qd.datasets.read_log("log.csv")) == len(qd.datasets.read_log("log.parquet")) == 2


def a_trace():
    import quickdraw_bandits as qd

    env = qd.environments.KnownFunction(abs, n_arms=5, n_rounds=4)
    return qd.simulate(qd.policies.Random(env.arms), env, warmup=1)


def gym():
    import gymnasium

    import quickdraw_bandits as qd
    import quickdraw_bandits.gym

    env = gymnasium.make("quickdraw/KnownFunction-v0", function=abs, n_arms=5, n_rounds=4)
    assert len(qd.gym.play(qd.policies.Random(env.unwrapped.arms), env).arms) == 4


def gaussian_processes():
    import quickdraw_bandits as qd

    for library in ("scikit-learn", "george") if find_spec("george") else ("scikit-learn",):
        policy = qd.policies.GPUCB(qd.Arms.grid(0, 1, 5), library=library, seed=0)
        policy.update([0.0, 0.1, 0.2], [0, 2, 4], [0.1, 0.9, 0.2])
        assert policy.select(0.3) in range(5)


def ray():
    from quickdraw_lab.runner.ray_cluster import require_ray

    require_ray()
    importlib.import_module("ray")


def lab():
    size = ("--arms", "20", "--rounds", "30", "--warmup", "10")
    assert "Random" in command("play", *size, "--policies", "Random", "--out", "results")
    assert Path("results/play.png").exists()
    import_everything("quickdraw_lab", "quickdraw_cli")


def service():
    import_everything("quickdraw_service")


def everything():
    """What the extra ``all`` is for: no module lacks a library."""
    import_everything("quickdraw_lab", "quickdraw_cli", "quickdraw_service")


def command(*arguments):
    """Return what the installed command prints."""
    program = Path(sysconfig.get_path("scripts")) / "quickdraw"
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def refusal(call):
    """Return the message of the ImportError that a call raises."""
    try:
        call()
    except ImportError as error:
        return str(error)
    raise AssertionError("nothing was missing")


def import_everything(*packages):
    """Import every module of some packages, those that are installed."""
    for name in packages:
        if find_spec(name) is None:
            continue
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)


if __name__ == "__main__":
    globals()[{"all": "everything"}.get(sys.argv[1], sys.argv[1].replace("-", "_"))]()
    print(f"{sys.argv[1]}: works")
