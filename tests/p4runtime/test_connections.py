"""TLS, limits on messages and clients."""

from __future__ import annotations

import datetime
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from controller import INSERT, SECONDS, Controller, Stream, update
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from macsad.addresses import BadAddress, checked
from macsad.p4runtime import server
from macsad.p4runtime.codes import Code
from macsad.p4runtime.messages import message
from macsad.p4runtime.streams import STREAMS_MAX, Streams


class Authority:
    """Makes certificates, and its own, as PEM files."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._key, self._name = folder, ec.generate_private_key(ec.SECP256R1()), _name(name)
        self.certificate, _ = self._write(name, self._key, self._name, is_authority=True)

    def make(self, name: str) -> tuple[Path, Path]:
        """(certificate, key) for this host."""
        return self._write(name, ec.generate_private_key(ec.SECP256R1()), _name(name), is_authority=False)

    def _write(self, name: str, key: Any, subject: x509.Name, *, is_authority: bool) -> tuple[Path, Path]:
        now = datetime.datetime.now(datetime.UTC)
        made = (
            x509.CertificateBuilder(self._name, subject, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(hours=1))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        certificate, key_file = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        key_file.write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))
        return certificate, key_file


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("certificates"), "authority")


@pytest.fixture
def secured(request: pytest.FixtureRequest, served: Any, authority: Authority) -> Iterator[int]:
    """A second door of the same server, at this port; `request.param`: clients must show a certificate."""
    certificate, key = authority.make("server")
    clients = authority.certificate if request.param else None
    running, port = server.start(served.service, "127.0.0.1:0", server.Security(key, certificate, clients))
    yield port
    running.stop(0)


def answers(channel: Any) -> Code:
    """What a call comes to."""
    with channel:
        try:
            made = Controller(channel, None).call("Capabilities", message("CapabilitiesRequest")())
        except grpc.RpcError as error:
            return Code(error.code().value[0])
        assert made.p4runtime_api_version == "1.4.1"
        return Code.OK


def secure(port: int, trusted: Path, own: tuple[Path, Path] | None = None) -> Any:
    certificate, key = own or (None, None)
    credentials = grpc.ssl_channel_credentials(
        trusted.read_bytes(), key.read_bytes() if key else None, certificate.read_bytes() if certificate else None
    )
    return grpc.secure_channel(f"localhost:{port}", credentials)


@pytest.mark.parametrize("secured", [False], indirect=True)
def test_tls(secured: int, authority: Authority, tmp_path: Path) -> None:
    assert answers(secure(secured, authority.certificate)) is Code.OK
    assert answers(grpc.insecure_channel(f"localhost:{secured}")) is Code.UNAVAILABLE
    stranger = Authority(tmp_path, "stranger")
    assert answers(secure(secured, stranger.certificate)) is Code.UNAVAILABLE


@pytest.mark.parametrize("secured", [True], indirect=True)
def test_clients_show_a_certificate(secured: int, authority: Authority, tmp_path: Path) -> None:
    assert answers(secure(secured, authority.certificate, authority.make("client"))) is Code.OK
    assert answers(secure(secured, authority.certificate)) is Code.UNAVAILABLE
    stranger = Authority(tmp_path, "stranger")
    assert answers(secure(secured, authority.certificate, stranger.make("client"))) is Code.UNAVAILABLE


def test_who_is_primary_is_told_before_there_is_a_switch() -> None:
    listening = server.Listening("127.0.0.1:0", None, Streams(7))
    with grpc.insecure_channel(f"127.0.0.1:{listening.port}") as channel:
        stream, another = Stream(channel), Stream(channel)
        assert stream.arbitrate(1, device=7).status.code == Code.OK
        another.arbitration(2, device=8)
        assert another.ends() is Code.NOT_FOUND
        stream.send(packet=message("PacketOut")(payload=b"payload"))  # waits for the switch, which never comes
        listening.close()
        assert stream.ends() is Code.UNAVAILABLE


def test_a_call_waits_for_a_switch_that_does_not_come() -> None:
    listening = server.Listening("127.0.0.1:0", None, Streams(7))
    with grpc.insecure_channel(f"127.0.0.1:{listening.port}") as channel:
        method = channel.unary_unary(
            "/p4.v1.P4Runtime/Capabilities",
            request_serializer=message("CapabilitiesRequest").SerializeToString,
            response_deserializer=message("CapabilitiesResponse").FromString,
        )
        waits = method.future(message("CapabilitiesRequest")(), timeout=SECONDS)
        with pytest.raises(grpc.FutureTimeoutError):
            waits.result(timeout=1)
        listening.close()
        assert waits.code() is grpc.StatusCode.UNAVAILABLE


def test_a_request_is_too_long(controller: Controller) -> None:
    entry = controller.entry("exact_t", {1: b"\1"}, "count_forward", 1, metadata=bytes(server.MESSAGE_MAX))
    assert controller.write(update(INSERT, table_entry=entry)) == [Code.RESOURCE_EXHAUSTED]
    assert controller.read(message("Entity")(table_entry=controller.entry("exact_t", {}))) == []


def test_too_many_controllers(served: Any) -> None:
    streams = [Stream(served.channel) for _ in range(STREAMS_MAX)]
    for number, stream in enumerate(streams, 1):
        assert stream.arbitrate(number, role=f"crowd {number}").status.code == Code.OK
    one_more = Stream(served.channel)
    assert one_more.ends() is Code.RESOURCE_EXHAUSTED
    streams.pop().close()
    for _ in range(100):  # until its end has come to the server
        again = Stream(served.channel)
        again.arbitration(1, role="crowd again")
        try:
            assert again.next().arbitration.status.code == Code.OK
            break
        except grpc.RpcError:
            continue
    else:
        raise AssertionError("nobody may come in the place of who has left")
    for stream in [*streams, again]:
        stream.close()


@pytest.mark.parametrize(
    "address", ["", "host", "127.0.0.1:x", "127.0.0.1:70000", "0.0.0.0:1", "[::]:1", "example.org:1"]
)
def test_addresses(address: str) -> None:
    with pytest.raises(BadAddress):
        checked(address, anywhere=False)
    assert checked("0.0.0.0:1", anywhere=True) == "0.0.0.0:1"
    assert checked(":9559", anywhere=False) == "127.0.0.1:9559"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_an_address_in_use_is_told_in_one_line(host: str, capfd: pytest.CaptureFixture[str]) -> None:
    """gRPC prints lines of its own, and has no word for it."""
    if ":" in host:
        try:
            socket.create_server((host.strip("[]"), 0), family=socket.AF_INET6).close()
        except OSError as error:
            pytest.skip(f"no IPv6 here: {error}")
    listening = server.Listening(f"{'[::1]' if ':' in host else '127.0.0.1'}:0", None, Streams(7))
    with pytest.raises(
        BadAddress, match=f"^cannot listen at {re.escape(host)}:{listening.port}: Address already in use$"
    ):
        server.Listening(f"{host}:{listening.port}", None, Streams(8))
    listening.close()
    assert capfd.readouterr().err == ""
