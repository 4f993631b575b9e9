"""The peephole LSTM of the paper, as one function with four implementations that agree.

    i(t) = sigmoid(p_i + W_hi h(t-1) + w_ci c(t-1))
    f(t) = sigmoid(p_f + W_hf h(t-1) + w_cf c(t-1))
    c(t) = f(t) c(t-1) + i(t) tanh(p_c + W_hc h(t-1))
    o(t) = sigmoid(p_o + W_ho h(t-1) + w_co c(t))
    h(t) = o(t) tanh(c(t))

p is what the inputs contribute, W_x x(t) + b; the peephole weights w are diagonal; h and c start at
zero. `reference` is a loop over the equations, `cpu` a fast loop, `hopper` and `portable` are one
kernel for all steps: on GPUs of the Hopper generation, and on any NVIDIA GPU since Turing.
"""

from cloze.recurrence.dispatch import (
    IMPLEMENTATIONS,
    choices,
    peephole_lstm,
    peephole_lstm_of_inputs,
    why_not,
)
from cloze.recurrence.layer import PeepholeLSTM

__all__ = [
    "IMPLEMENTATIONS",
    "PeepholeLSTM",
    "choices",
    "peephole_lstm",
    "peephole_lstm_of_inputs",
    "why_not",
]
