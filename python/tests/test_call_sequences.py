"""Random sequences of calls, drawn from the date, never end the process. More: call_sequences.py --count 5000."""

import time

import call_sequences

SEQUENCES = 300


def test_no_sequence_of_calls_ends_the_process():
    seed = int(time.strftime("%Y%m%d"))
    outcome = call_sequences.run(seed, 0, SEQUENCES, batch=150)
    print(f"seed {seed}: {outcome}")
    assert not outcome.failures, "\n".join(outcome.failures)
    assert outcome.sequences == SEQUENCES
    assert sum(outcome.refused.values()) < outcome.calls, "no call was accepted"
