"""Starts payments-sandbox, a local stand-in for a payments service, and speaks to it."""

import json
import subprocess
import urllib.error
import urllib.request

from ._command import command

__all__ = ["Sandbox", "SandboxError", "connect", "start"]


class SandboxError(Exception):
    """The sandbox could not start, or refused a call; `status` and `body` are those of its response."""

    def __init__(self, message, status=None, body=None):
        super().__init__(message)
        self.status = status
        self.body = body


class Sandbox:
    """One namespace of a running sandbox."""

    def __init__(self, url, api_key, live_api_key, webhook_secret, name="default", token=None):
        self.url = url
        self.api_key = api_key
        self.live_api_key = live_api_key
        self.webhook_secret = webhook_secret
        self.name = name
        self._token = token
        self._process = None

    def call(self, method, path, body=None, headers=None):
        """A call of the service with the test key; its JSON. Raises SandboxError from 400 on."""
        return self._send(method, path, body, {"authorization": f"Bearer {self.api_key}", **(headers or {})})

    def control(self, method, path, body=None):
        """A call of the control API, such as `POST /_sandbox/clock/advance`, in this namespace."""
        headers = {"sandbox-namespace": self.name}
        if self._token is not None:
            headers["sandbox-control-token"] = self._token
        return self._send(method, path, body, headers)

    def advance(self, by):
        """Moves the clock by a duration, such as "30m", and returns when all that fell due is done."""
        return self.control("POST", "/_sandbox/clock/advance", {"by": by})

    def reset(self):
        """Back to the beginning; webhooks and keys stay."""
        return self.control("POST", "/_sandbox/reset")

    def namespace(self, name):
        """The namespace of that name, made when there is none: keys, a clock and data of its own."""
        clock = self.control("GET", "/_sandbox/clock")
        made = self.control("PUT", f"/_sandbox/namespaces/{name}", {"clock": clock["mode"]})
        return Sandbox(
            self.url, made["api_key"], made["live_api_key"], made["webhook_secret"], name, self._token
        )

    @property
    def environment(self):
        """What an app is told by `payments-sandbox exec`."""
        return {
            "PAYMENTS_BASE_URL": self.url,
            "PAYMENTS_API_KEY": self.api_key,
            "PAYMENTS_WEBHOOK_SECRET": self.webhook_secret,
            "PAYMENTS_SANDBOX_URL": self.url,
        }

    def stop(self):
        """Ends the server, where this is what started it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.stop()

    def _send(self, method, path, body, headers):
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers = {"content-type": "application/json", **headers}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            # Never by a proxy of the environment: it is on this machine, or beside it.
            with _DIRECT.open(request) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode(errors="replace")
            raise SandboxError(f"{method} {path}: {error.code} {text}", error.code, _json(text)) from None
        except urllib.error.URLError as error:
            raise SandboxError(f"{self.url} cannot be reached: {error.reason}") from None
        return json.loads(text) if text else None


_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def start(*options):
    """Starts a sandbox at a free port, with options of `payments-sandbox start`; `stop()` or `with` ends it."""
    line = [*command(), "start", "--json", "--port", "0", *options]
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    ready = process.stdout.readline()
    if ready == "":
        process.stdout.close()
        raise SandboxError(f"the sandbox did not start (exit code {process.wait()}): {' '.join(line)}")
    said = json.loads(ready)
    sandbox = Sandbox(said["url"], said["api_key"], said["live_api_key"], said["webhook_secret"])
    sandbox._process = process
    return sandbox


def connect(url, token=None):
    """The default namespace of a sandbox that runs already."""
    sandbox = Sandbox(url.rstrip("/"), "", "", "", token=token)
    said = sandbox.control("GET", "/_sandbox")
    sandbox.api_key = said["api_key"]
    sandbox.live_api_key = said["live_api_key"]
    sandbox.webhook_secret = said["webhook_secret"]
    return sandbox


def _json(text):
    try:
        return json.loads(text)
    except ValueError:
        return None
