"""A PostgreSQL server of one's own, to be stopped and cut off at will."""

import glob
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg


def find_program(name):
    """Return the path of a program of PostgreSQL, which Debian leaves out of PATH."""
    found = shutil.which(name) or next(iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))[::-1]), None)
    assert found is not None, f"the tests need a PostgreSQL server, but {name} is not installed"
    return found


def free_port():
    """Return a port that is free, below those that the system gives to outgoing connections.

    So no connection of a program that runs beside the tests takes it while the server is restarted.
    """
    while True:
        port = secrets.choice(range(15_000, 30_000))
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port


class PostgresServer:
    """A server in a folder of its own, on a free port of the loopback address."""

    def __init__(self, folder, fsync=False):
        self.folder = Path(folder)
        self.data = self.folder / "data"
        # PostgreSQL refuses to run as root.
        self._user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
        if self._user is not None:
            os.chmod(self.folder, 0o755)
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._run("initdb", "-D", self.data, "-U", "quickdraw", "-A", "trust", "-E", "UTF8", "--no-sync")
        self.port = free_port()
        settings = f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{self.folder}'\n"
        settings += f"fsync = {'on' if fsync else 'off'}\nshared_buffers = 32MB\nmax_connections = 60\n"
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(settings)
        self.start()

    def _run(self, program, *arguments):
        user = {} if self._user is None else {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
        command = [find_program(program), *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **user)
        assert done.returncode == 0, f"{' '.join(command)} failed:\n{done.stdout.decode()}"

    def start(self):
        """Start, and wait until connections are taken."""
        self._run("pg_ctl", "-D", self.data, "-l", self.folder / "server.log", "-w", "start")

    def stop(self, mode="fast"):
        """Stop: ``fast`` in order, ``immediate`` as a crash would."""
        self._run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def url(self, database="postgres"):
        """Return the address of a database."""
        return f"postgresql://quickdraw@127.0.0.1:{self.port}/{database}"

    def new_database(self):
        """Return the address of an empty database."""
        name = f"test_{uuid.uuid4().hex}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)


@contextmanager
def running(fsync=False):
    """Run a server until the end of the context."""
    folder = tempfile.mkdtemp(prefix="quickdraw-postgres-")
    try:
        server = PostgresServer(folder, fsync)
        yield server
        server.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
