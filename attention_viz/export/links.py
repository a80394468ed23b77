"""The address of the app that a page links to."""

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from attention_viz.errors import SettingError


def check_link(link: str) -> None:
    """Refuse what a page must not link to, such as a script.

    Raises:
        SettingError: it is no address of the web.
    """
    try:
        parts = urlsplit(link)
        is_one = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:  # such as a bracket without its other half
        is_one = False
    if not is_one:
        raise SettingError(
            f"link must be an address that begins with http:// or https://; got {link!a:.40}."
        )


def link_with(link: str, words: Mapping[str, str]) -> str:
    """An address with these keys, in the place of its own of the same names.

    >>> link_with("https://host.example/?embed=true&d_k=4#maps", {"d_k": "64"})
    'https://host.example/?embed=true&d_k=64#maps'
    """
    parts = urlsplit(link)
    own = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in words]
    # Half a surrogate pair, which UTF-8 cannot hold, becomes a question mark.
    query = urlencode([*own, *words.items()], errors="replace")
    return urlunsplit(parts._replace(query=query))
