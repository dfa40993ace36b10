"""Documents that are no kubeconfig, or try to overwhelm their reader.

name: (pointer and code of a problem that must be among those found, the document's maker)
"""

from .kubeconfig_maker import (
    BOMB,
    CANARY,
    NESTED,
    PATH,
    TOUCH,
    URL,
    after_good,
    changed,
    good,
    packed,
    text,
    two_contexts,
    written,
)

CASES = {
    # The document.
    "alias bomb": ("", "alias", text(BOMB)),
    "anchor": ("", "alias", after_good(f"x: &{CANARY} y\n")),
    "merge key": ("", "merge_key", after_good(f"x:\n  <<: {{a: {CANARY}}}\n")),
    "python object tag": (
        "",
        "tag",
        text(f'!!python/object/apply:os.system ["{TOUCH}"]\n'),
    ),
    "python tag inside": (
        "",
        "tag",
        after_good(f'x: !!python/object/apply:subprocess.Popen [["sh", "-c", "{TOUCH}"]]\n'),
    ),
    "binary tag": ("", "tag", after_good(f"x: !!binary {packed(CANARY.encode())}\n")),
    "local tag": ("", "tag", after_good(f"x: !include {PATH}\n")),
    "tag directive": ("", "tag", text(f"%TAG ! tag:{CANARY},2000:\n---\nkind: Config\n")),
    "duplicate key": ("", "duplicate_key", after_good(f"kind: {CANARY}\n")),
    "duplicate key in JSON": ("", "duplicate_key", text(f'{{"kind": 1, "kind": "{CANARY}"}}')),
    "several documents": ("", "several_documents", after_good(f"---\nx: {CANARY}\n")),
    "deep flow": ("", "too_deep", text(f"{CANARY}: {NESTED}")),
    "deep JSON": ("", "too_deep", text(f'{{"{CANARY}": {NESTED}')),
    "deep but complete JSON": (
        "",
        "too_deep",
        text(f'{{"{CANARY}": {"[" * 50}{"]" * 50}}}'),
    ),
    "complex key": ("", "key_not_text", text(f"? [{CANARY}]\n: x\n")),
    "too many values": ("", "too_many_nodes", text(f"{CANARY}: [{'1,' * 30_000}]")),
    "too large": ("", "too_large", text(CANARY * 40_000)),
    "UTF-16": ("", "not_utf8", lambda: written(good()).decode().encode("utf-16") + CANARY.encode()),
    "Latin-1": ("", "not_utf8", lambda: f"x: {CANARY}é".encode("latin-1")),
    "half a surrogate pair": ("", "not_utf8", text(f'{{"{CANARY}": "\\ud800"}}')),
    "NUL bytes": ("", "not_yaml", text(f"kind: Config\0{CANARY}")),
    "not YAML": ("", "not_yaml", text(f"kind: [{CANARY}\nx: }}")),
    "unfinished text": ("", "not_yaml", text(f'kind: "{CANARY}')),
    "tab indentation": ("", "not_yaml", text(f"kind: Config\nclusters:\n\t- {CANARY}\n")),
    "empty": ("", "empty", text("")),
    "comment only": ("", "empty", text(f"# {CANARY}\n")),
    "a list": ("", "not_a_kubeconfig", text(f"- {CANARY}\n")),
    "plain text": ("", "not_a_kubeconfig", text(f"{TOUCH}\n")),
    "HTML": ("", "not_a_kubeconfig", text(f"<html><body>{URL}</body></html>")),
    "another kind": (
        "/kind",
        "not_a_kubeconfig",
        changed(lambda one: one.update(kind="Secret", data={"token": CANARY})),
    ),
    "another version": (
        "/apiVersion",
        "not_a_kubeconfig",
        changed(lambda one: one.update(apiVersion=CANARY)),
    ),
    # Its structure.
    "no contexts": ("/contexts", "missing", text(f"kind: Config\nusers: [{CANARY}]\n")),
    "several contexts": ("/contexts", "pick_context", changed(two_contexts)),
    "clusters a mapping": (
        "/clusters",
        "missing",
        changed(lambda one: one.update(clusters={CANARY: 1})),
    ),
    "malformed user": (
        "/users/0",
        "malformed",
        changed(lambda one: one.update(users=[{"name": "admin", "user": CANARY}])),
    ),
    "cluster not found": (
        "/contexts/0/context/cluster",
        "not_found",
        changed(lambda one: one["contexts"][0]["context"].update(cluster=CANARY)),
    ),
    "user not found": (
        "/contexts/0/context/user",
        "not_found",
        changed(lambda one: one["contexts"][0]["context"].update(user=CANARY)),
    ),
    "user not named": (
        "/contexts/0/context/user",
        "missing",
        changed(lambda one: one["contexts"][0]["context"].update(user="", namespace=CANARY)),
    ),
    "two users of one name": (
        "/users/1",
        "duplicate_name",
        changed(lambda one: one["users"].append({"name": "admin", "user": {"token": CANARY}})),
    ),
    "name not printable": (
        "/contexts/0",
        "malformed",
        changed(lambda one: one["contexts"][0].update(name=f"lab\x07{CANARY}")),
    ),
}
