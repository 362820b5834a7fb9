"""Long work lets other threads run, can be interrupted, and reports its progress."""

import os
import signal
import sys
import threading
import time
import types

import numpy as np
import pytest
from conftest import FASHION, LOGITS

import tacit


@pytest.fixture(scope="module")
def many(waves):
    return np.repeat(waves[:1], 400, axis=0)


@pytest.fixture(scope="module")
def questions(keys, many):
    return keys.encrypt(many)


def interrupted_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_an_interruption_ends_an_evaluation_within_a_second(model, keys, questions):
    model.evaluate(keys.encrypt(np.zeros((1, 1, 28, 28))), keys.evaluation)  # weights are encoded
    timer = interrupted_after(0.3)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.evaluate(questions, keys.evaluation)
    assert 0.3 <= time.monotonic() - start < 1.3
    timer.join()
    answer = model.evaluate(keys.encrypt(np.zeros((1, 1, 28, 28))), keys.evaluation)  # and nothing is broken
    assert keys.decrypt(answer).shape == (1, 10)


def test_an_interruption_leaves_no_thread_and_no_memory(model, keys, questions):
    def threads():
        return len(os.listdir("/proc/self/task"))

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def interrupt_once():
        timer = interrupted_after(0.1)
        with pytest.raises(KeyboardInterrupt):
            model.evaluate(questions, keys.evaluation)
        timer.join()

    for _ in range(3):
        interrupt_once()
    before, held = threads(), resident()
    for _ in range(8):
        interrupt_once()
    assert threads() <= before
    assert resident() - held < 30e6  # one run holds 100 MB


def test_other_threads_of_python_go_on(model, keys, questions):
    beats = []
    stop = threading.Event()

    def beat():
        while not stop.wait(0.01):
            beats.append(time.monotonic())

    thread = threading.Thread(target=beat)
    thread.start()
    start = time.monotonic()

    class Enough(Exception):
        pass

    def stop_after_a_second(stage, done, total):
        if time.monotonic() - start > 1:
            raise Enough

    with pytest.raises(Enough):
        model.evaluate(questions, keys.evaluation, progress=stop_after_a_second)
    stop.set()
    thread.join()
    assert len(beats) > 30
    assert max(np.diff(beats)) < 0.5


def test_threads_evaluate_for_different_clients_at_once(model, waves):
    results = {}

    def work(name, network):
        own = tacit.keygen(network)
        results[name] = own.decrypt(network.evaluate(own.encrypt(waves), own.evaluation))

    other = tacit.compile(FASHION, input_range=(-1, 2.1), batch=2)
    threads = [threading.Thread(target=work, args=case) for case in (("a", model), ("b", model), ("c", other))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["a", "b", "c"]
    for scores in results.values():
        np.testing.assert_allclose(scores[0], LOGITS, atol=1e-3)


def test_a_function_is_told_the_stage_and_the_steps(model, keys, questions):
    told = []

    class Stop(Exception):
        pass

    def report(stage, done, total):
        told.append((stage, done, total))
        if len(told) == 5:
            raise Stop("enough")

    with pytest.raises(Stop, match="enough"):
        model.evaluate(questions, keys.evaluation, progress=report)
    assert len(told) == 5
    assert all(0 <= done <= total for _, done, total in told)
    assert "/400 " in told[-1][0]


def test_a_bar_is_drawn_where_tqdm_is_asked_for(model, keys, many, monkeypatch):
    drawn = []

    class Bar:
        def __init__(self, desc, total, leave, delay):
            self.n = 0
            drawn.append([desc, total, 0, False])

        def refresh(self):
            drawn[-1][2] = self.n

        def close(self):
            drawn[-1][3] = True

    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = Bar
    package = types.ModuleType("tqdm")
    package.auto = auto
    monkeypatch.setitem(sys.modules, "tqdm", package)
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    keys.encrypt(many, progress=True)
    assert drawn[0][:2] == ["encrypting", 400]
    assert 0 < drawn[0][2] <= 400 and drawn[0][3]
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        keys.encrypt(many[:1], progress=True)
    assert len(keys.encrypt(many[:1])) == 1
