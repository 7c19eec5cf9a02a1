"""Fixtures for pytest: `payments`, a sandbox reset for each test, and `payments_sandbox`, that of the session."""

import os
import shlex

import pytest

from . import connect, start

OPTIONS = "--clock manual --rate-limit off --seed pytest"
_SERVER = "payments_sandbox_server"


def pytest_addoption(parser):
    parser.addini("payments_sandbox_options", "options of `payments-sandbox start`", default=OPTIONS)


def _server(config):
    """The server of the session: started at the first asking, or the one that runs already."""
    server = getattr(config, _SERVER, None)
    if server is None:
        url = os.environ.get("PAYMENTS_SANDBOX_URL")
        if url:
            server = connect(url, os.environ.get("PAYMENTS_SANDBOX_CONTROL_TOKEN"))
        else:
            server = start(*shlex.split(config.getini("payments_sandbox_options")))
        setattr(config, _SERVER, server)
    return server


class _Workers:
    """With pytest-xdist: the workers share the server of whoever starts them."""

    def pytest_configure_node(self, node):
        node.workerinput[_SERVER] = _server(node.config).url


def pytest_configure(config):
    if config.pluginmanager.hasplugin("xdist") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Workers(), "payments_sandbox_workers")


def pytest_unconfigure(config):
    server = getattr(config, _SERVER, None)
    if server is not None:
        server.stop()


@pytest.fixture(scope="session")
def payments_sandbox(request):
    """The sandbox of this worker, as it is."""
    config = request.config
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return _server(config)
    token = os.environ.get("PAYMENTS_SANDBOX_CONTROL_TOKEN")
    return connect(worker[_SERVER], token).namespace(worker["workerid"])


@pytest.fixture
def payments(payments_sandbox, monkeypatch):
    """The sandbox, reset, with the environment of the process set for the test."""
    payments_sandbox.control("POST", "/_sandbox/reset", {"keep": ["webhooks"]})
    for name, value in payments_sandbox.environment.items():
        monkeypatch.setenv(name, value)
    return payments_sandbox
