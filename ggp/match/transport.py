"""One message to a player over HTTP, and its reply, held to one deadline.

Time-outs of sockets count from read to read, so a player that sends a byte now and then would never be late. Here every
read gets what is left of one deadline for the whole reply, and a reply that grows beyond its limit is cut off.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError, NewConnectionError, ReadTimeoutError

from ggp.match.reply import BrokenError, ClientError, LateError, Limits, Reply


def post(url: str, message: str, seconds: float, headers: Mapping[str, str], limits: Limits) -> Reply:
    """Post a message; its reply, or ClientError, within `seconds`."""
    started = time.monotonic()
    sent = {"Content-Type": "text/acl", "Accept": "text/acl", "Accept-Encoding": "identity", "Connection": "close"}
    with requests.Session() as session:
        session.trust_env = False  # no proxy stands between us and a player
        session.mount("http://", _Adapter(started + seconds))
        try:
            with session.post(
                url, message.encode(), headers={**sent, **headers}, timeout=seconds,
                stream=True, allow_redirects=False,
            ) as response:  # fmt: skip
                body = _body(response, limits.size)
        except requests.ConnectTimeout as error:
            raise LateError(f"no connection within {seconds:g} s", reached=False) from error
        except (requests.Timeout, ReadTimeoutError, TimeoutError) as error:
            raise LateError(f"no reply within {seconds:g} s") from error
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            raise _explain(error, started, seconds) from error
    if response.status_code != requests.codes.ok:
        raise BrokenError(f"HTTP status {response.status_code} {response.reason}")
    found = {name.lower(): value for name, value in response.headers.items()}
    return Reply(body.decode("utf-8", "replace").strip(), time.monotonic() - started, found)


def _body(response: requests.Response, size: int) -> bytes:
    """The whole body, as it came: no decompression, which would make much out of little."""
    announced = response.headers.get("Content-Length", "0")
    if announced.isdecimal() and int(announced[:20]) > size:
        raise BrokenError(f"the reply is announced with {int(announced[:20]):,} bytes, more than {size:,}")
    parts: list[bytes] = []
    total = 0
    while part := response.raw.read1(1 << 16, decode_content=False):
        parts.append(part)
        total += len(part)
        if total > size:
            raise BrokenError(f"the reply is longer than {size:,} bytes")
    return b"".join(parts)


def _explain(error: Exception, started: float, seconds: float) -> ClientError:
    """What went wrong, without the names of our libraries."""
    if time.monotonic() >= started + seconds:  # a time-out may come dressed as a broken connection
        return LateError(f"no reply within {seconds:g} s")
    causes: list[BaseException] = [error]
    for cause in causes:
        inner = [cause.__cause__, cause.__context__, getattr(cause, "reason", None), *cause.args]
        causes.extend(part for part in inner if isinstance(part, BaseException) and part not in causes)
    if any(isinstance(cause, TimeoutError | ReadTimeoutError) for cause in causes):
        return LateError(f"no reply within {seconds:g} s")
    reached = not any(isinstance(cause, NewConnectionError) for cause in causes)
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return BrokenError("there is no host of this name", reached=False)
        if isinstance(cause, OSError) and cause.strerror and not isinstance(cause, requests.RequestException):
            return BrokenError(cause.strerror[0].lower() + cause.strerror[1:], reached)
    return BrokenError(f"what came back is no HTTP reply ({type(causes[-1]).__name__})")


class _Socket(socket.socket):
    """A socket on which every read ends at one deadline."""

    deadline: float

    def recv_into(self, *arguments: Any) -> int:
        """Read what is there, or wait until the deadline."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        self.settimeout(left)
        return super().recv_into(*arguments)


class _Connection(HTTPConnection):
    deadline: float

    def connect(self) -> None:
        """Connect, and hold the socket to the deadline."""
        super().connect()
        plain = self.sock
        self.sock = _Socket(plain.family, plain.type, plain.proto, fileno=plain.detach())
        self.sock.deadline = self.deadline
        self.sock.settimeout(max(0.001, self.deadline - time.monotonic()))


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection
    deadline: float

    def _new_conn(self) -> Any:
        made = super()._new_conn()
        assert isinstance(made, _Connection)
        made.deadline = self.deadline
        return made


class _Adapter(HTTPAdapter):
    """Lets `requests` use connections that keep a deadline."""

    def __init__(self, deadline: float) -> None:
        super().__init__(max_retries=0)
        self.poolmanager.pool_classes_by_scheme = {"http": type("_OwnPool", (_Pool,), {"deadline": deadline})}
