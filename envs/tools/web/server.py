"""The same site over HTTP, on this machine only, for real browsers and other clients.

    python -m zerogym.envs.tools.web.server --seed 3 --category shop

serves one site and prints its address and its task; Ctrl-C ends it and prints whether the task is
done. Left out: sessions (all visitors share the site's data), encryption, other machines.
"""

import argparse
import copy
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from zerogym.envs.tools.web.html import to_html
from zerogym.envs.tools.web.sample import TEMPLATES, sample_site
from zerogym.envs.tools.web.site import Data, Site, read_fields, split_url

MAX_BODY = 2**20  # bytes of a form


class SiteServer(ThreadingHTTPServer):
    """Serves one site on a free port of the loopback interface.

    Attributes:
        site: The site.
        data: What the server keeps; it begins as the site's first data.
    """

    daemon_threads = True

    def __init__(self, site: Site, port: int = 0) -> None:
        self.site = site
        self.data: Data = copy.deepcopy(site.first_data())
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def address(self) -> str:
        """Return the address of the first page."""
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def solved(self) -> bool:
        """Return whether the server keeps exactly what the task requires."""
        return self.data == self.site.goal()


class _Handler(BaseHTTPRequestHandler):
    server: SiteServer
    timeout = 30.0  # seconds for a request

    def do_GET(self) -> None:
        with self.server.lock:
            page = self.server.site.read(self.server.data, self.path)
        body = to_html(page).encode()
        self.send_response(page.status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        if self.headers.get("Origin", self.server.address[:-1]) != self.server.address[:-1]:
            self.send_error(HTTPStatus.FORBIDDEN)  # a page of another site sends it
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 9 or int(length) > MAX_BODY:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        fields = read_fields(self.rfile.read(int(length)).decode("utf-8", "replace"))
        with self.server.lock:
            target = self.server.site.post(self.server.data, split_url(self.path)[0], fields)
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", target or "/not-found")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def served(site: Site) -> Iterator[SiteServer]:
    """Serve a site in a thread as long as the block runs."""
    with SiteServer(site) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def main() -> None:
    """Serve one site until Ctrl-C."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--difficulty", type=float, default=1.0)
    parser.add_argument("--category", choices=list(TEMPLATES))
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args()
    site = sample_site(np.random.default_rng(given.seed), given.difficulty, given.category)
    with SiteServer(site, given.port) as server:
        print(f"{site.question}\n{server.address}", flush=True)  # noqa: T201
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("Done." if server.solved else "The task is not done.")  # noqa: T201


if __name__ == "__main__":
    main()
