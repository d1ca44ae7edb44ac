"""Where the shards of a policy run, and what happens when one is lost."""

from collections.abc import Mapping
from dataclasses import dataclass

from quickdraw_bandits.checks import integer
from quickdraw_bandits.distributed.fleet import ON_LOSS, OnLoss
from quickdraw_bandits.distributed.hosts import Host, RayHost


@dataclass(frozen=True)
class Deployment:
    """How a sharded policy uses Ray. The defaults suit one machine.

    Parameters
    ----------
    on_loss
        What a choice does while a lost shard is started again. ``"wait"`` (default): it waits, and is right.
        ``"skip"``: it is made among the arms of the other shards; a ``ShardWarning`` names the shard, and
        ``policy.missing`` lists it until it is back.
    at_once
        How many shards build their index at the same time. Default None: all. Building takes several times the memory
        of the arms: choose 1 where memory is short.
    columns
        Columns of Parquet files that are the coordinates, in this order. Default None: all columns.
    address
        The Ray cluster. Default None: the one this process is connected to; if there is none, one is started on this
        machine that listens on the loopback interface only and requires a token. ``policy.close()`` ends it.
    options
        Options of the Ray actors, such as ``{"num_cpus": 1, "memory": 4e9}``. By default they reserve nothing, and are
        spread over the nodes.
    host
        Something else than Ray to run shards on. Default None: Ray.

    Examples
    --------
    >>> Deployment(on_loss="skip").on_loss
    'skip'
    """

    on_loss: OnLoss = "wait"
    at_once: int | None = None
    columns: tuple[str, ...] | None = None
    address: str | None = None
    options: Mapping[str, object] | None = None
    host: Host | None = None

    def __post_init__(self) -> None:
        if self.on_loss not in ON_LOSS:
            raise ValueError(f"on_loss must be one of {', '.join(ON_LOSS)}, got {self.on_loss!r}")
        if self.at_once is not None:
            integer("at_once", self.at_once, at_least=1)

    def open(self, n_shards: int) -> Host:
        """Return a host with room for ``n_shards``."""
        return self.host or RayHost(self.address, self.options, n_shards)


ON_THIS_MACHINE = Deployment()
