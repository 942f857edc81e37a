"""Values made here behave as those of the standard library."""

import copy
import dataclasses
import pickle

import pytest

from dalembert.frozen import dataclass


def fields(cls):
    cls.__annotations__ = {"a": int, "b": tuple, "c": dict, "d": str}
    cls.b, cls.c = (), dataclasses.field(default_factory=dict, compare=False)
    cls.d = dataclasses.field(default="x", repr=False, hash=False)
    return cls


@dataclass(frozen=True, slots=True)
@fields
class Ours:
    """A value."""

    def __post_init__(self):
        if self.a < 0:
            raise ValueError("negative")


@dataclass(frozen=True)
@fields
class Open:
    """A value without slots."""

    def __post_init__(self):
        if self.a < 0:
            raise ValueError("negative")


@dataclasses.dataclass(frozen=True, slots=True)
@fields
class Theirs:
    """A value."""

    def __post_init__(self):
        if self.a < 0:
            raise ValueError("negative")


@pytest.mark.parametrize("one", [Ours, Open, Theirs])
def test_a_value_is_compared_hashed_shown_and_kept_as_it_is(one):
    x, same, other = one(1, (2, 3)), one(1, (2, 3), {"k": 1}), one(1, d="y")
    assert x == same and x != other and x != (1, (2, 3)) and hash(x) == hash(same)
    assert hash(one(1)) == hash(other) and one(1) != other  # d is not hashed
    assert repr(x) == f"{one.__qualname__}(a=1, b=(2, 3), c={{}})"
    for copied in (copy.deepcopy(same), pickle.loads(pickle.dumps(same))):
        assert copied == same and copied.c == {"k": 1}
    for wrong in (lambda: setattr(x, "a", 2), lambda: delattr(x, "a")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            wrong()
    assert dataclasses.replace(x, a=5) == one(5, (2, 3)) and hasattr(x, "__dict__") == (one is Open)
    assert one(1).c is not one(1).c and dataclasses.asdict(x)["b"] == (2, 3)
    with pytest.raises(ValueError, match="negative"):
        one(-1)
    with pytest.raises(TypeError):
        one()


def test_own_methods_are_kept():
    @dataclass(frozen=True, slots=True)
    class Angle:
        turns: float

        def __eq__(self, other):
            return self.turns % 1 == other.turns % 1

        def __repr__(self):
            return "an angle"

    @dataclass(frozen=True, slots=True)
    class Named:
        name: str

        def __hash__(self):
            return 7

    assert Angle(0.5) == Angle(1.5) and repr(Angle(1)) == "an angle"
    assert hash(Angle(0.5)) == hash(Angle(0.5))  # as in the library: of the fields
    assert hash(Named("x")) == 7 and Named("x") == Named("x")


def test_different_classes_differ_though_their_fields_agree():
    @dataclass(frozen=True, slots=True)
    class None_:
        pass

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    assert Empty() == Empty() and Empty() != None_() and repr(Empty()).endswith("Empty()")
