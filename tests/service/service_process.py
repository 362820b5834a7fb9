"""A server of `tacit serve` and what a client needs for it, for tests and for longer runs."""
import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import time

REPLY = 60  # seconds


def command(tacit, *arguments):
    done = subprocess.run([tacit, *map(str, arguments)], check=False, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"tacit {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def write_linear_model(path, features=30, classes=2, seed=1):
    """A logistic regression without its last step, as ONNX, and rows for it as .npy beside it."""
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    random = numpy.random.default_rng(seed)
    weights = (random.standard_normal((features, classes)) / features).astype(numpy.float32)
    bias = random.standard_normal(classes).astype(numpy.float32)
    graph = helper.make_graph(
        [helper.make_node("Gemm", ["x", "w", "b"], ["y"])], "linear",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", features])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", classes])],
        [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(bias, "b")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, path)
    rows = random.uniform(-1, 1, (24, features))
    numpy.save(path.with_suffix(".npy"), rows)
    return rows, rows @ weights + bias


class Server:
    def __init__(self, tacit, models, folder, *options):
        self.tacit, self.models, self.folder = tacit, models, pathlib.Path(folder)
        self.options = options
        self.process, self.port = None, 0

    def add_client(self, name):
        return command(self.tacit, "serve", "--tokens", self.folder / "tokens", "--add-client", name).strip()

    def start(self, port=0):
        log = open(self.folder / "log", "a")
        self.process = subprocess.Popen(
            [self.tacit, "serve", *map(str, self.models), "--listen", f"127.0.0.1:{port}", "--insecure-http", "--state",
             self.folder / "state", "--tokens", self.folder / "tokens", *map(str, self.options)],
            stdout=subprocess.PIPE, stderr=log, text=True)
        log.close()
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            raise RuntimeError("the server did not start: " + (self.folder / "log").read_text())
        self.port = int(found[1])
        return self

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=REPLY)
        self.process.stdout.close()
        return status

    def resident_bytes(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * 4096

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=REPLY)


class Caller:
    """One client over one kept connection."""

    def __init__(self, server, token):
        self.server, self.token = server, token
        self.connection = None

    def ask(self, method, address, body=None, **headers):
        """Status and body."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=REPLY)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            sent["Authorization"] = "Bearer " + self.token
        try:
            self.connection.request(method, address, body=body, headers=sent)
            response = self.connection.getresponse()
            return response.status, response.read()
        except BaseException:
            self.connection.close()
            self.connection = None
            raise

    def json(self, method, address, body=None, **headers):
        status, text = self.ask(method, address, body, **headers)
        return status, json.loads(text)

    def upload(self, model, keys):
        return self.json("PUT", f"/v1/models/{model}/keys", keys)

    def submit(self, model, question, wait=0):
        """Asks again where the queue is full."""
        while True:
            status, job = self.json("POST", f"/v1/models/{model}/evaluations?wait={wait}", question)
            if status not in (429, 503):
                return status, job
            time.sleep(0.2)

    def submit_until(self, stopped, model, question, accepted):
        """Submits again and again, whatever becomes of the server; adds the accepted jobs to a list."""
        while not stopped.is_set():
            try:
                status, job = self.submit(model, question)
                if status == 202:
                    accepted.append(job["job"])
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.02)

    def result(self, job):
        """Waits for a job and fetches its results."""
        while True:
            status, found = self.json("GET", f"/v1/jobs/{job}?wait=30")
            if status != 200 or found["state"] == "failed":
                raise RuntimeError(f"job {job}: {found}")
            if found["state"] == "done":
                break
        status, answer = self.ask("GET", f"/v1/jobs/{job}/result")
        if status != 200:
            raise RuntimeError(f"job {job}: {answer}")
        return answer
