"""What an answer calls its file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clients.results import announced_name


@pytest.mark.parametrize(("header", "name"), [
    ('attachment; filename="processed.csv"', "processed.csv"),
    ("attachment; filename=processed.csv", "processed.csv"),
    ('ATTACHMENT; FileName="a.csv"', "a.csv"),
    ('attachment; filename="a;b.csv"', "a;b.csv"),
    ('attachment; filename="a\\"b.csv"', 'a"b.csv'),
    ("attachment; filename*=UTF-8''Jos%C3%A9%20%E2%82%AC.csv", "José €.csv"),
    ("attachment; filename*=iso-8859-1'en'Jos%E9.csv", "José.csv"),
    ("attachment; filename=\"plain.csv\"; filename*=UTF-8''Jos%C3%A9.csv", "José.csv"),
    ("attachment; filename*0=long-; filename*1=name.csv", "long-name.csv"),
    ('attachment; filename="../../etc/na me.wav"', "na me.wav"),
    ("attachment; filename*=UTF-8''..%2F..%5Cetc%5Cpasswd", "passwd"),
    ('attachment; filename="C:/Users/ana/list.csv"', "list.csv"),
    ('attachment; myfilename="a.csv"', ""),
    ("attachment; filename*=UTF-7''a.csv", "a.csv"),
    ("attachment; filename*=nothing''a%E9.csv", ""),
    ("attachment; filename=two words.csv", ""), ('attachment; filename=""', ""), ("attachment", ""), ("", ""),
    (";;;", ""),
])  # fmt: skip
def test_the_announced_name(header: str, name: str) -> None:
    assert announced_name(header) == name


@given(
    st.text(max_size=80) | st.text(alphabet="filename*01='\"\\\\;%/. UTF-8é", max_size=80).map("attachment; {}".format)
)
def test_any_header_has_an_answer(header: str) -> None:
    assert "/" not in announced_name(header)
