"""Where the server is, and where a key may go."""

import pytest

from cloze.errors import UserError
from cloze.language_models.address import Key, check_key, parse_address
from cloze.language_models.request import Interface


@pytest.mark.parametrize(
    ("given", "url", "interface", "local"),
    [
        ("http://localhost:8000/v1", "http://localhost:8000/v1/chat/completions", "chat", True),
        ("http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/chat/completions", "chat", True),
        ("http://[::1]:9/v1", "http://[::1]:9/v1/chat/completions", "chat", True),
        ("https://a.org/v1/completions", "https://a.org/v1/completions", "completions", False),
        (
            "https://a.org/x/chat/completions?api-version=3",
            "https://a.org/x/chat/completions?api-version=3",
            "chat",
            False,
        ),
    ],
)
def test_an_address(given: str, url: str, interface: str, local: bool) -> None:
    found = parse_address(given)
    assert (found.url, str(found.interface), found.local) == (url, interface, local)


@pytest.mark.parametrize(
    "given", ["localhost:8000", "ftp://a.org", "http://", "http://a:99999/", ""]
)
def test_no_address(given: str) -> None:
    with pytest.raises(UserError, match="is no address"):
        parse_address(given)


@pytest.mark.parametrize("given", ["https://me:sesame@a.org/v1", "https://a.org/v1?api_key=sesame"])
def test_a_secret_in_the_address_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_address(given)
    assert "sesame" not in str(refused.value)


def test_the_other_interface_is_refused() -> None:
    with pytest.raises(UserError, match="of the completions interface"):
        parse_address("https://a.org/v1/completions", Interface.CHAT)


def test_a_key_over_plain_http_stays_on_this_machine() -> None:
    key = Key("sesame")
    check_key(key, parse_address("http://localhost/v1"), unencrypted=False)
    check_key(key, parse_address("https://a.org/v1"), unencrypted=False)
    check_key(Key(""), parse_address("http://a.org/v1"), unencrypted=False)
    check_key(key, parse_address("http://a.org/v1"), unencrypted=True)
    for address in ("http://a.org/v1", "http://10.0.0.1/v1", "http://localhost.a.org/v1"):
        with pytest.raises(UserError, match="over plain http"):
            check_key(key, parse_address(address), unencrypted=False)


def test_a_key_prints_as_nothing() -> None:
    key = Key("sesame")
    assert "sesame" not in f"{key} {key!r} {[key]}"
    assert key.hide("bad key: sesame!") == "bad key: [key]!"
    assert Key("").hide("as it is") == "as it is"


@pytest.mark.parametrize("odd", ["two words", "línea", "a\nb"])
def test_an_odd_key_is_refused_unseen(odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODD_KEY", odd)
    with pytest.raises(UserError, match="the key in ODD_KEY") as refused:
        Key.from_environment("ODD_KEY")
    assert odd not in str(refused.value)
