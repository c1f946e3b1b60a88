"""Strict JSON: what two readers could read differently is refused, and nothing else."""

import pytest

from functions.api.http.strict_json import MAX_DEPTH, MalformedRequestError, parse

HOSTILE = {
    "empty": b"",
    "white space only": b"  \n",
    "cut off": b'{"a": 1',
    "trailing text": b'{"a": 1} x',
    "two documents": b"{}{}",
    "single quotes": b"{'a': 1}",
    "trailing comma": b'{"a": 1,}',
    "comment": b"{} // no",
    "NaN": b'{"a": NaN}',
    "Infinity": b'{"a": -Infinity}',
    "beyond doubles": b'{"a": 1e400}',
    "5,000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "beyond 64 bits": b'{"a": 18446744073709551616}',
    "below 64 bits": b'{"a": -9223372036854775809}',
    "twin keys": b'{"a": 1, "a": 1}',
    "twin keys, escaped": b'{"a": 1, "\\u0061": 2}',
    "twin keys, nested": b'{"x": [{"a": 1, "a": 2}]}',
    "lone surrogate": b'{"a": "\\ud800"}',
    "raw control character": b'{"a": "\n"}',
    "byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": "{}".encode("utf-16"),
    "UTF-16 without mark": "{}".encode("utf-16-le"),
    "not UTF-8": b'{"a": "\xff"}',
    "overlong UTF-8": b'{"a": "\xc0\x80"}',
    "too deep": b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    "100,000 deep": b"[" * 100_000,
    "100,000 deep objects": b'{"a":' * 100_000,
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_ambiguous_json_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedRequestError):
        parse(body)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": [1, 2.5, true, null, "x"]}', {"a": [1, 2.5, True, None, "x"]}),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b"18446744073709551615", 18446744073709551615),
        (b"-9223372036854775808", -9223372036854775808),
        (b'{"a": "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}', {"a": "[" * 41}),
        (b'{"a": "\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}', {"a": '"' + "[" * 41}),
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
    ],
)
def test_strict_json_is_read_as_it_is(body: bytes, value: object) -> None:
    assert value is None or parse(body) == value
