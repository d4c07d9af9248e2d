"""The same site over HTTP: recorded episodes end the same for a client that shares no code."""

import numpy as np
import pytest

from helpers.tools.http_visitor import Visitor
from helpers.tools.web_episodes import record
from zerogym.envs.tools.web.html import to_html
from zerogym.envs.tools.web.sample import TEMPLATES, sample_site
from zerogym.envs.tools.web.server import MAX_BODY, served


@pytest.mark.parametrize("category", TEMPLATES)
def test_a_recorded_episode_ends_the_same_over_http(category: str) -> None:
    for seed, expert in ((3, True), (4, False)):
        site, calls, browser = record(category, seed, expert)
        with served(site) as server:
            visitor = Visitor(server.address)
            for call in calls:
                visitor.call(call.tool, dict(call.arguments))
            visitor.close()
            assert visitor.html == to_html(browser.page)
            assert server.data == browser.data
            assert server.solved == expert


def test_names_and_values_are_escaped() -> None:
    site = sample_site(np.random.default_rng(0), 0, "forum")
    thread, comment, _ = site.targets[0]
    evil = '"><script>alert(1)</script>&amp;'
    with served(site) as server:
        visitor = Visitor(server.address)
        assert visitor.request("GET", f"/?{evil.replace(' ', '')}")[0] in (200, 404)
        body = f"t={thread}&c={comment}&text=%22%3E%3Cb%3E"
        assert visitor.request("POST", "/send", body)[0] == 303
        assert server.data["answers"] == [[thread, comment, '"><b>']]
        visitor.close()
    wizard = sample_site(np.random.default_rng(0), 0, "wizard")
    html = to_html(wizard.read(wizard.first_data(), '/?0="><b>'))  # goes on in a hidden field
    assert "<b>" not in html and 'value="&quot;&gt;&lt;b&gt;"' in html


def test_unfit_requests_change_nothing() -> None:
    site = sample_site(np.random.default_rng(0), 0, "form")
    with served(site) as server:
        visitor = Visitor(server.address)
        other = {"Origin": "http://other.example"}
        assert visitor.request("POST", "/send", "City=Oslo", other)[0] == 403
        visitor = Visitor(server.address)
        assert visitor.request("POST", "/send", "", {"Content-Length": str(MAX_BODY + 1)})[0] == 413
        visitor = Visitor(server.address)
        assert visitor.request("POST", "/nowhere", "a=1")[2] == "/not-found"
        assert visitor.request("GET", "/not-found")[0] == 404
        assert server.data == site.first_data()
        assert server.server_address[0] == "127.0.0.1"
        visitor.close()
