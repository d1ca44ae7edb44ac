"""``quickdraw keys``: who may use a server."""

import argparse
import sys
import time
from typing import TYPE_CHECKING

from quickdraw_cli.commands.serve import add_store

if TYPE_CHECKING:
    from quickdraw_service.stores.store import Store

HELP = "add, list and revoke keys of a server"
DESCRIPTION = (
    "Manage the keys of a store. add makes a key and prints it once; the store keeps only a hash of it. list shows "
    "what each key may do, and revoke ends one. Running servers notice within two seconds. From the first key on, "
    "every request needs one."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("action", choices=("add", "list", "revoke"), metavar="ACTION", help="add, list or revoke")
    parser.add_argument("id", nargs="?", metavar="ID", help="the key to revoke, as list shows it")
    add_store(parser)
    parser.add_argument(
        "--role",
        nargs="+",
        action="extend",
        default=[],
        metavar="ROLE",
        help="what a new key may do: decide, reward (rewards and observations), read, or admin (everything)",
    )
    parser.add_argument(
        "--experiment",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="experiments that a new key is for (default: all)",
    )
    parser.add_argument("--note", default="", metavar="TEXT", help="what a new key is for, in your words")


def run(arguments: argparse.Namespace) -> int:
    """Add, list or revoke."""
    from quickdraw_service.errors import BadRequestError, UnavailableError
    from quickdraw_service.stores import open_store

    if (arguments.id is None) == (arguments.action == "revoke"):
        raise ValueError("revoke needs the ID of a key, and add and list take none")
    if arguments.action != "add" and (arguments.role or arguments.experiment or arguments.note):
        raise ValueError("--role, --experiment and --note describe a new key; use them with add")
    try:
        with open_store(arguments.store, create=arguments.action == "add") as store:
            if arguments.action == "add":
                _add(arguments, store)
            elif arguments.action == "list":
                _list(store)
            elif not store.revoke_key(arguments.id, time.time()):
                raise ValueError(f"there is no valid key {arguments.id!r}; quickdraw keys list shows them")
            else:
                print(f"{arguments.id} is revoked")
    except BadRequestError as error:
        raise ValueError(error.message) from None
    except UnavailableError as error:
        raise ValueError(f"the store cannot be used: {error.message}") from None
    return 0


def _add(arguments: argparse.Namespace, store: "Store") -> None:
    from quickdraw_service.definition import check_name
    from quickdraw_service.keys import new_key

    for name in arguments.experiment or ():
        check_name(name)
    key, token = new_key(arguments.role, arguments.experiment, arguments.note)
    store.add_key(key)
    print(token)
    print(f"Key {key.id}. Keep it now: it is shown this once, and the store has only its hash.", file=sys.stderr)


def _list(store: "Store") -> None:
    from quickdraw_bandits.evaluation.text_table import text_table

    keys = store.keys()
    rows = [
        {
            "id": key.id,
            "roles": " ".join(key.roles),
            "experiments": "all" if key.experiments is None else " ".join(key.experiments),
            "created": time.strftime("%Y-%m-%d %H:%M", time.gmtime(key.created)),
            "state": "valid" if key.revoked is None else "revoked",
            "note": key.note,
        }
        for key in keys
    ]
    print(text_table(rows) if rows else "no keys: the server is open to this machine, and to no other")
