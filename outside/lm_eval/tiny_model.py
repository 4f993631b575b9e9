"""A tiny causal language model from nothing, trained on an exported training split.

    tiny_model.py TRAIN_FOLDER OUT --steps 30

A word is a token; so is a marker. Two layers of 128 units read the completions prompt and the
answer behind it. It shows that the harness runs a real model on the test, not that it reads well.
"""

import argparse
import random
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

BATCH = 8
LONGEST = 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("train", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=30)
    arguments = parser.parse_args()
    sys.path.append(str(arguments.train))
    import cloze_task

    texts = [
        (cloze_task.completions(question), f" {question['answer']}")
        for question in cloze_task.questions("markers")
    ]
    tokenizer = make_tokenizer(prompt + answer for prompt, answer in texts)
    model = make_model(len(tokenizer))
    train(model, tokenizer, texts, arguments.steps)
    model.save_pretrained(arguments.out)
    tokenizer.save_pretrained(arguments.out)


def make_tokenizer(texts) -> PreTrainedTokenizerFast:
    made = Tokenizer(models.BPE(unk_token=None))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
    )
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=4000,
        special_tokens=["<end>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<end>", pad_token="<end>")


def make_model(words: int) -> LlamaForCausalLM:
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=words,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=LONGEST,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
    )
    return LlamaForCausalLM(config)


def train(model, tokenizer, texts, steps: int) -> None:
    dice = random.Random(0)
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(steps):
        batch = dice.sample(texts, BATCH)
        ids = [tokenizer(prompt)["input_ids"] for prompt, _ in batch]
        ends = [tokenizer(answer)["input_ids"] for _, answer in batch]
        whole = [(a + b)[-LONGEST:] for a, b in zip(ids, ends, strict=True)]
        width = max(map(len, whole))
        tokens = torch.tensor([own + [0] * (width - len(own)) for own in whole])
        mask = torch.tensor([[1] * len(own) + [0] * (width - len(own)) for own in whole])
        labels = tokens.masked_fill(mask == 0, -100)
        loss = model(input_ids=tokens, attention_mask=mask, labels=labels).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 50 == 0 or step == steps - 1:
            print(f"step {step}: loss {loss.item():.2f}", flush=True)


if __name__ == "__main__":
    main()
