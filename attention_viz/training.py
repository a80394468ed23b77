"""Train the demo heads: python -m attention_viz.training --seed 0 -o assets/heads/demo.safetensors.

The model learns to predict the next word of synthetic text that repeats itself. Beside that, three
of its four heads are rewarded for their job directly: the loss has -log of the weight that the head
puts where its job says. So the jobs are taught, not discovered; the fourth head is left alone.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor
from torch.nn.functional import cross_entropy, pad

from attention_viz.demo import MAX_DEMO_TOKENS, SPARES, DemoHead, DemoModel, save_demo
from attention_viz.embeddings import generator

_STEPS: Final = 2000
_TOKENS: Final = 2048  # in a batch
_LENGTHS: Final = (16, 32, 64, MAX_DEMO_TOKENS)
_STORIES: Final = 10_000
_LEARNING_RATE: Final = 3e-3
_REWARD: Final = 0.5
_SIZES: Final = {"d_model": 64, "d_k": 32, "num_layers": 2, "num_heads": 2}

_CLASSES: Final = {
    name: tuple(words.split())
    for name, words in {
        "{animal}": "cat dog bird fish horse mouse fox bear child girl boy man woman king queen",
        "{thing}": "mat house tree river boat hat book door garden table star stone road hill ball",
        "{is}": "big small old young red blue green happy quiet brave good",
        "{did}": "sat slept ran jumped walked waited sang stood",
        "{met}": "saw liked found chased heard followed helped met",
        "{where}": "on in near under behind by",
        "{name}": "anna john mary tom",
    }.items()
}
_SENTENCES: Final = tuple(
    tuple(sentence.split())
    for sentence in (
        "the {animal} {did} {where} the {thing} .",
        "the {is} {animal} {did} {where} the {thing} .",
        "the {animal} {met} the {animal} .",
        "the {animal} {met} the {is} {animal} , and the {animal} {did} .",
        "{name} gave a {thing} to {name} .",
        "when {name} {met} the {animal} , {name} {did} .",
        "i am {is} , but you are not {is} .",
        "a {animal} and a {animal} {did} {where} a {is} {thing} .",
        "who {met} the {animal} ? it was {name} !",
        "the {thing} is {is} and the {thing} is {is} .",
    )
)
_WORDS: Final = tuple(
    dict.fromkeys(
        word
        for words in (*_SENTENCES, *_CLASSES.values())
        for word in words
        if word not in _CLASSES
    )
)
VOCAB: Final = (*_WORDS, *SPARES)


def previous_token(words: Tensor) -> Tensor:
    """(..., n, n) True at the token before; nowhere in row 0.

    >>> previous_token(torch.tensor([7, 5, 7])).int()
    tensor([[0, 0, 0],
            [1, 0, 0],
            [0, 1, 0]], dtype=torch.int32)
    """
    n = words.shape[-1]
    return torch.ones(n, n, dtype=torch.bool).tril(-1).triu(-1).expand(*words.shape, n)


def same_token(words: Tensor) -> Tensor:
    """(..., n, n) True at each earlier occurrence of the row's word; nowhere if it is new.

    >>> same_token(torch.tensor([7, 5, 7])).int()
    tensor([[0, 0, 0],
            [0, 0, 0],
            [1, 0, 0]], dtype=torch.int32)
    """
    return (words.unsqueeze(-1) == words.unsqueeze(-2)).tril(-1)


def induction(words: Tensor) -> Tensor:
    """(..., n, n) True at the token after each earlier occurrence; nowhere if the word is new.

    >>> induction(torch.tensor([7, 5, 7])).int()
    tensor([[0, 0, 0],
            [0, 0, 0],
            [0, 1, 0]], dtype=torch.int32)
    """
    return pad(same_token(words), (1, -1))


def itself(n: int) -> Tensor:
    """(n, n) True on the diagonal."""
    return torch.eye(n, dtype=torch.bool)


def first_token(n: int) -> Tensor:
    """(n, n) True in column 0."""
    return (torch.arange(n) == 0).expand(n, n)


@dataclass(frozen=True, slots=True)
class Job:
    """What one head is rewarded for.

    Attributes:
        layer: where the head is. Induction needs the previous-token head in a layer before it.
        head: its place in the layer.
        name: of the job and of the head.
        targets: words (..., n) to where the head should look, booleans (..., n, n).
        rest: n to where it should look in rows without a target, (n, n).
        does: the job in a sentence.
        look_for: what to look for in the picture.
    """

    layer: int
    head: int
    name: str
    targets: Callable[[Tensor], Tensor]
    rest: Callable[[int], Tensor]
    does: str
    look_for: str


JOBS: Final = (
    Job(
        layer=0,
        head=0,
        name="previous token",
        targets=previous_token,
        rest=itself,
        does="Each token looks at the token before it.",
        look_for="One bright line just below the diagonal, whatever the words are.",
    ),
    Job(
        layer=1,
        head=0,
        name="same token",
        targets=same_token,
        rest=itself,
        does="A word that came before looks at its earlier occurrences; a new word at itself.",
        look_for="A new word is bright on the diagonal; a repeated word leaves it for a column "
        "where the same word stood before, most often the first.",
    ),
    Job(
        layer=1,
        head=1,
        name="induction",
        targets=induction,
        rest=first_token,
        does="A word that came before looks at what followed it then; a new word rests on the "
        "first token.",
        look_for="When a phrase is said again, a bright slanted line: each word looks at the word "
        "that came next the first time, which is what comes next now.",
    ),
)


def stories(number: int, rng: torch.Generator) -> list[tuple[int, ...]]:
    """Stories of one to three sentences, each told three times, as rows of the vocabulary."""
    rows = {word: row for row, word in enumerate(VOCAB)}
    told = []
    for _ in range(number):
        length = int(torch.randint(1, 4, (), generator=rng))
        story = [rows[word] for _ in range(length) for word in _sentence(rng)]
        told.append(tuple(story * 3))
    return told


def story_texts(told: Sequence[Sequence[int]], b: int, n: int, rng: torch.Generator) -> Tensor:
    """(b, n) words: each text begins with a story and goes on with those that follow it."""
    words = torch.tensor([word for story in told for word in story])
    lengths = torch.tensor([len(story) for story in told])
    starts = lengths.cumsum(0) - lengths
    starts = starts[starts <= len(words) - n]
    chosen = starts[torch.randint(len(starts), (b, 1), generator=rng)]
    return words[chosen + torch.arange(n)]


def random_texts(b: int, n: int, rng: torch.Generator) -> Tensor:
    """(b, n) words in random order, none twice, repeated from some point on as often as fits."""
    period = torch.randint(2, n // 2 + 1, (b, 1), generator=rng)
    order = torch.rand(b, len(VOCAB), generator=rng).argsort(dim=1)
    return order.gather(1, torch.arange(n) % period)


def held_out(seed: int, b: int, n: int) -> dict[str, Tensor]:
    """Texts (b, n) of each kind that a training from this seed does not see."""
    rng = generator(seed, "held out")
    seen = set(stories(_STORIES, generator(seed, "stories")))
    new = [story for story in stories(1000, rng) if story not in seen]
    return {"stories": story_texts(new, b, n, rng), "random words": random_texts(b, n, rng)}


def job_weight(weights: Tensor, targets: Tensor) -> float:
    """Mean over rows that have a target of the weight on the targets, 0 … 1.

    Args:
        weights: (..., n, n).
        targets: (..., n, n) booleans.
    """
    on_target = (weights * targets).sum(dim=-1)
    return on_target[targets.any(dim=-1)].mean().item()


def measure(model: DemoModel, words: Tensor) -> dict[str, float]:
    """The job weight of each job's head on words (b, n)."""
    with torch.no_grad():
        _, weights = model(words)
    return {
        job.name: job_weight(weights[:, job.layer, job.head], job.targets(words)) for job in JOBS
    }


def chance(words: Tensor) -> dict[str, float]:
    """What measure would give if every token looked equally at itself and all before it."""
    n = words.shape[-1]
    equal = torch.ones(n, n).tril() / torch.arange(1, n + 1).unsqueeze(1)
    return {job.name: job_weight(equal, job.targets(words)) for job in JOBS}


def untrained(seed: int) -> DemoModel:
    """The model before the first step: N(0, 1) embeddings, N(0, 1/width) weights."""
    rng = generator(seed, "weights")
    with torch.device("meta"):  # torch's own start would draw from its global source
        model = DemoModel(VOCAB, **_SIZES)
    state = {
        name: torch.randn(weight.shape, generator=rng) / weight.shape[1] ** 0.5
        for name, weight in model.state_dict().items()
    }
    state["embedding.weight"] *= _SIZES["d_model"] ** 0.5
    model.load_state_dict(state, assign=True)
    return model


def train(
    model: DemoModel, seed: int, *, steps: int = _STEPS, told: int = _STORIES
) -> list[tuple[float, float]]:
    """Train in place; each step's next-word loss and reward loss, nats.

    Args:
        model: of ``untrained``.
        seed: of the texts.
        steps: of AdamW, the learning rate rising and falling once.
        told: how many stories to draw texts from.
    """
    training_stories = stories(told, generator(seed, "stories"))
    rng = generator(seed, "texts")
    optimizer = torch.optim.AdamW(model.parameters(), lr=_LEARNING_RATE, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _LEARNING_RATE, total_steps=steps)
    losses, start = [], time.monotonic()
    for step in range(steps):
        n = _LENGTHS[step % len(_LENGTHS)]
        b = _TOKENS // n // 2
        words = torch.cat([random_texts(b, n, rng), story_texts(training_stories, b, n, rng)])
        logits, weights = model(words)
        next_word = cross_entropy(logits[:, :-1].flatten(0, 1), words[:, 1:].flatten())
        reward = torch.stack([_reward_loss(job, words, weights) for job in JOBS]).sum()
        optimizer.zero_grad()
        torch.autograd.backward(next_word + _REWARD * reward)
        optimizer.step()
        schedule.step()
        losses.append((next_word.item(), reward.item()))
        if step % 100 == 0 or step == steps - 1:
            sys.stderr.write(
                f"step {step:4d} of {steps}, next word {next_word.item():.3f} nats, "
                f"reward {reward.item():.3f} nats, {time.monotonic() - start:.0f} s\n"
            )
    return losses


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, print how well each head does its job, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m attention_viz.training")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, required=True, help="a .safetensors file")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)  # sums in one order, whatever the number of cores
    model = untrained(chosen.seed)
    texts = held_out(chosen.seed, b=256, n=32)
    before = {kind: measure(model, words) for kind, words in texts.items()}
    train(model, chosen.seed)
    after = {kind: measure(model, words) for kind, words in texts.items()}
    equal = {kind: chance(words) for kind, words in texts.items()}
    heads = [
        DemoHead(
            job.layer,
            job.head,
            job.name,
            job.does,
            job.look_for,
            measured={
                "weight": round(after["stories"][job.name], 4),
                "untrained": round(before["stories"][job.name], 4),
                "chance": round(equal["stories"][job.name], 4),
            },
        )
        for job in JOBS
    ]
    save_demo(chosen.output, model, heads)
    table = Table("head", "held-out text", "weight", "untrained", "chance", box=None)
    for job in JOBS:
        for kind in texts:
            numbers = (f"{results[kind][job.name]:.3f}" for results in (after, before, equal))
            table.add_row(job.name, kind, *numbers)
    Console().print("Mean weight where the job says, 512 held-out texts of 32 tokens:", table)


def _sentence(rng: torch.Generator) -> list[str]:
    pattern = _SENTENCES[int(torch.randint(len(_SENTENCES), (), generator=rng))]
    draws = torch.randint(2**31, (len(pattern),), generator=rng).tolist()
    words = []
    for word, draw in zip(pattern, draws, strict=True):
        choices = _CLASSES.get(word, (word,))
        words.append(choices[draw % len(choices)])
    return words


def _reward_loss(job: Job, words: Tensor, weights: Tensor) -> Tensor:
    """Mean over rows of -log of the weight on the targets, or on the rest where there is none."""
    targets = job.targets(words)
    targets = torch.where(targets.any(-1, keepdim=True), targets, job.rest(words.shape[-1]))
    on_target = (weights[:, job.layer, job.head] * targets).sum(dim=-1)
    return -(on_target + torch.finfo().tiny).log().mean()


if __name__ == "__main__":
    main()
