"""Ten clients of `tacit serve` that mean harm, each with a token of its own. tools/soak_service.py runs them beside honest ones.

A client is a function of a Victim, which ends at `until`. None spends the machine's own processors in earnest: they rest
between requests, because a client's work is not the server's.
"""
import http.client
import json
import pathlib
import random
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/service"))
from service_process import Caller, Server  # noqa: E402

REST = 0.1  # seconds between requests
RUDE = (OSError, http.client.HTTPException, ValueError)


class Victim:
    """What a client knows of the server."""

    def __init__(self, port, token, model, keys, question, until):
        self.port, self.token, self.model, self.keys, self.question, self.until = port, token, model, keys, question, until
        self.evaluations = f"/v1/models/{model}/evaluations"

    def going_on(self):
        time.sleep(REST)
        return time.monotonic() < self.until

    def caller(self):
        server = Server.__new__(Server)
        server.port = self.port
        return Caller(server, self.token)

    def ask(self, method, address, body=None, **headers):
        try:
            return self.caller().ask(method, address, body, **headers)
        except RUDE:
            return 0, b""

    def connection(self, seconds=5):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=seconds)
        return connection

    def send(self, text):
        """Sends bytes that need be no request."""
        try:
            with self.connection() as connection:
                connection.sendall(text)
                connection.recv(4096)
        except OSError:
            pass

    def head(self, length):
        return (f"POST {self.evaluations} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.token}\r\n"
                f"Content-Length: {length}\r\n\r\n").encode()


def with_description(question, text):
    """The question with another description: an artefact states the length of its sections in its head."""
    begin = question.find(b'{"')
    end = question.find(b"}", begin) + 1
    return question[:begin] + text + question[end:]


def long_descriptions(victim):
    text = b'{"model":"' + b"0" * 64 + b'","about":[' + b"0," * (8 << 20) + b"0]}"
    while victim.going_on():
        victim.ask("POST", victim.evaluations, with_description(victim.question, text))


def slow_bodies(victim):
    """Declares 256 MiB sixteen times and sends them drop by drop."""
    open_ones = []
    while victim.going_on():
        try:
            if len(open_ones) < 16:
                connection = victim.connection()
                connection.sendall(victim.head(256 << 20) + victim.question[:1000])
                open_ones.append(connection)
            for connection in list(open_ones):
                try:
                    connection.sendall(b"\0" * 1700)  # 16 KiB a second
                except OSError:
                    open_ones.remove(connection)
        except OSError:
            pass
    for connection in open_ones:
        connection.close()


def many_jobs(victim):
    """Fills the queue with small jobs, and never fetches a result."""
    while victim.going_on():
        for _ in range(50):
            if victim.ask("POST", victim.evaluations, victim.question)[0] not in (200, 202):
                break


def jobs_that_are_deleted(victim):
    while victim.going_on():
        status, body = victim.ask("POST", victim.evaluations, victim.question)
        if status in (200, 202):
            victim.ask("DELETE", "/v1/jobs/" + json.loads(body)["job"])


def announced_keys(victim):
    """Announces keys of a gigabyte and sends a byte of them, over and over."""
    size = 1 << 30
    while victim.going_on():
        victim.ask("PUT", f"/v1/models/{victim.model}/keys", victim.keys[:1], Content_Range=f"bytes 0-0/{size}")
        size -= 1


def framing(victim):
    """Requests whose ends two readers would see in different places."""
    smuggled = b"GET /v1/jobs HTTP/1.1\r\nHost: x\r\n\r\n"
    heads = [b"Transfer-Encoding: chunked\r\n", b"Content-Length: 0\r\nContent-Length: 35\r\n", b"Content-Length: %35\r\n",
             b"Content-Length : 3\r\n", b"Content-Length: +3\r\n", b"X: a\r\n b\r\n", b"X: a\0b\r\n", b"X: a\rb\r\n"]
    while victim.going_on():
        for head in heads:
            for method in (b"GET /v1/jobs", b"POST " + victim.evaluations.encode()):
                victim.send(method + b" HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n" + smuggled)


def idle_connections(victim):
    """Holds as many connections as it gets, and reads nothing."""
    held = []
    while victim.going_on():
        try:
            connection = victim.connection(1)
            connection.sendall(b"GET /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + victim.token.encode() + b"\r\nX: ")
            held.append(connection)
        except OSError:
            pass
        if len(held) > 200:
            for connection in held:
                connection.close()
            held = []


def damaged_questions(victim):
    noise = random.Random(1)
    while victim.going_on():
        body = bytearray(victim.question)
        for _ in range(noise.randrange(1, 30)):
            body[noise.randrange(len(body))] = noise.randrange(256)
        victim.ask("POST", victim.evaluations, bytes(body[:noise.randrange(1, len(body) + 1)]))
        body = bytearray(victim.question)
        struct.pack_into("<Q", body, noise.randrange(0, 120), noise.getrandbits(64))
        victim.ask("POST", victim.evaluations, bytes(body))


def swollen_questions(victim):
    """Questions that hold thirty times what the model takes."""
    while victim.going_on():
        victim.ask("POST", victim.evaluations, victim.question + victim.question[200:] * 30)


def strangers(victim):
    """Guesses tokens, jobs and addresses."""
    noise = random.Random(2)
    while victim.going_on():
        for _ in range(20):
            address = noise.choice(("/v1/jobs", f"/v1/jobs/{noise.getrandbits(128):032x}/result", victim.evaluations, "/" + "a" * 5000))
            try:
                connection = http.client.HTTPConnection("127.0.0.1", victim.port, timeout=5)
                connection.request(noise.choice(("GET", "DELETE", "PUT")), address,
                                   headers={"Authorization": f"Bearer {noise.getrandbits(256):064x}"})
                connection.getresponse().read()
                connection.close()
            except RUDE:
                pass


CLIENTS = (long_descriptions, slow_bodies, many_jobs, jobs_that_are_deleted, announced_keys, framing, idle_connections,
           damaged_questions, swollen_questions, strangers)
