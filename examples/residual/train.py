#!/usr/bin/env python3
"""Trains the residual network on Fashion-MNIST and writes it as ONNX.

    python3 -m venv venv && venv/bin/pip install -r examples/residual/requirements.txt
    venv/bin/python examples/residual/train.py --out examples/residual/model.onnx

The data is Debian's package dataset-fashion-mnist. One run takes nine minutes on one core.
"""
import argparse
import pathlib
import sys

import torch

import network

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "fashion"))
import dataset  # noqa: E402
import export  # noqa: E402

SHIFT = 2  # pixels by which augmented images move at most


def load(folder, part):
    images, labels = dataset.load(folder, part)
    return torch.from_numpy(images), torch.from_numpy(labels).long()


def augment(images):
    """Mirrors half of the images and moves them, in 25 groups, by up to two pixels; the new border is background."""
    flipped = torch.where(torch.rand(len(images), 1, 1, 1) < 0.5, images.flip(3), images)
    padded = torch.nn.functional.pad(flipped, (SHIFT,) * 4, value=-dataset.MEAN / dataset.STD)
    moved = torch.empty_like(images)
    positions = (2 * SHIFT + 1) ** 2
    for group in range(positions):
        dy, dx = divmod(group, 2 * SHIFT + 1)
        moved[group::positions] = padded[group::positions, :, dy:dy + 28, dx:dx + 28]
    return moved


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        right = sum(int((model(images[i:i + 1000]).argmax(1) == labels[i:i + 1000]).sum())
                    for i in range(0, len(images), 1000))
    return right / len(images)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=dataset.FOLDER)
    parser.add_argument("--out", type=pathlib.Path, default="model.onnx")
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=0.2)
    parser.add_argument("--decay", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()

    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    images, labels = load(arguments.data, "train")
    test_images, test_labels = load(arguments.data, "t10k")
    model = network.ResidualNetwork().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), arguments.rate, momentum=0.9, nesterov=True,
                                weight_decay=arguments.decay)
    steps = len(images) // arguments.batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, arguments.rate, arguments.epochs * steps, pct_start=0.2)
    for epoch in range(arguments.epochs):
        model.train()
        order = torch.randperm(len(images))
        shuffled, targets = augment(images[order]), labels[order]
        total = 0.0
        for i in range(steps):
            rows = slice(i * arguments.batch, (i + 1) * arguments.batch)
            batch = shuffled[rows].contiguous(memory_format=torch.channels_last)
            loss = torch.nn.functional.cross_entropy(model(batch), targets[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch + 1:3d}  loss {total / steps:.4f}  test {accuracy(model, test_images, test_labels):.4f}",
              flush=True)
    print(f"training images: {accuracy(model, images, labels):.4f}")
    export.write(model, arguments.out)


if __name__ == "__main__":
    main()
