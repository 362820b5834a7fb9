#!/usr/bin/env python3
"""Exports a zoo of small models to ONNX the way people export them, each with inputs and what ONNX Runtime computes.

    python3 -m venv venv && venv/bin/pip install -r tools/export_models_requirements.txt
    venv/bin/python tools/export_models.py --out zoo                        # everything that is installed
    venv/bin/python tools/export_models.py --out zoo --only sklearn logreg_binary 'svc_*'

A family whose packages are not installed is skipped with a sentence; a model that its exporter refuses is reported, and
the others go on. What a model's folder holds: tools/model_zoo/folder.py. What the models contain: survey_models.py.
To add a model, add a row to a table of tools/model_zoo.
"""
import argparse
import fnmatch
import importlib
import logging
import os
import pathlib
import sys
import time
import warnings

# Family -> the modules of its tables, each with a list MODELS of things that have a `name` and an `export()`.
FAMILIES = {
    "sklearn": ["sklearn_classifiers", "sklearn_regressors", "sklearn_transformers"],
    "torch": ["torch_functions", "torch_structures", "torch_image_layers", "torch_architectures", "torch_processed"],
    "keras": ["keras_dense", "keras_images"],
    "xgboost": ["xgboost_trees"],
    "lightgbm": ["lightgbm_trees"],
}


def read_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="names of models, with * and ? (default: all)")
    parser.add_argument("--out", type=pathlib.Path, help="folder to write FAMILY/MODEL/ into; replaces those it holds")
    parser.add_argument("--only", choices=FAMILIES, help="one family of models")
    parser.add_argument("--list", action="store_true", help="print the names and write nothing")
    options = parser.parse_args(arguments)
    if not options.list and not options.out:
        parser.error("--out FOLDER is missing")
    return options


def tables(families):
    """Pairs of a family and one of its models, for the families whose packages are installed."""
    for family in families:
        try:
            modules = [importlib.import_module(f"model_zoo.{name}") for name in FAMILIES[family]]
        except ImportError as error:
            print(f"{family}: skipped, {error}", file=sys.stderr)
            continue
        models = [model for module in modules for model in module.MODELS]
        names = [model.name for model in models]
        assert len(names) == len(set(names)), f"{family}: twice: {sorted({n for n in names if names.count(n) > 1})}"
        yield from ((family, model) for model in models)


def asked_for(name, patterns):
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def export(model, out):
    """Exports and writes one model. Returns what to say of it, and whether a folder was written."""
    from model_zoo import folder
    try:
        exported = model.export()
    except Exception as error:  # exporters throw whatever they like; the other models go on
        return folder.one_line(error), False
    not_run = folder.write(exported, out)
    return f"written without outputs, {not_run}" if not_run else "written", True


def export_all(models, out):
    """Exports the pairs of a family and a model, a line each."""
    written = 0
    for family, model in models:
        begin = time.monotonic()
        said, done = export(model, out / family / model.name)
        written += done
        print(f"{family}/{model.name}: {said} ({time.monotonic() - begin:.1f} s)", flush=True)
    print(f"{written} of {len(models)} models written")


def run_the_same_every_time():
    """Starts anew, if need be, with what makes two runs write the same bytes: exporters go through sets of names in the
    order of their hashes, and sums of floats depend on the number of threads."""
    fixed = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if any(os.environ.get(name) != value for name, value in fixed.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | fixed)


def main(arguments):
    options = read_arguments(arguments)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    families = [options.only] if options.only else FAMILIES
    models = [(family, model) for family, model in tables(families) if asked_for(model.name, options.models)]
    if not models:
        print("there is no such model among those whose packages are installed; --list shows them", file=sys.stderr)
        return 1
    if options.list:
        print("\n".join(f"{family}/{model.name}" for family, model in models))
    else:
        export_all(models, options.out)
    return 0


if __name__ == "__main__":
    run_the_same_every_time()
    sys.exit(main(sys.argv[1:]))
