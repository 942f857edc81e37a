"""SDF: what would be lost without a word is refused or noted."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DescriptionError

ARM = """<sdf version="1.9"><model name="m">
 <link name="a"><inertial><mass>1</mass></inertial></link>
 <link name="b"><pose>0 0 1 0 0 0</pose><inertial><pose>.1 .2 .3 0 0 0</pose><mass>2</mass>
  <inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.15</izz></inertia></inertial></link>
 <joint name="w" type="fixed"><parent>world</parent><child>a</child></joint>
 <joint name="j" type="revolute"><parent>a</parent><child>b</child>
  <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit>
  <dynamics><damping>.3</damping></dynamics></axis></joint></model></sdf>"""


def changed(old, new):
    assert ARM.count(old) == 1
    return ARM.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<mass>2</mass>", "<mass>2</mass><mass>5</mass>", "a second <mass>"),
        ("<ixx>.1</ixx>", "<ixx>.1</ixx><ixx>5</ixx>", "a second <ixx>"),
        ("</inertia></inertial>", "</inertia></inertial><inertial/>", "a second <inertial>"),
        ("</axis>", "</axis><axis><xyz>1 0 0</xyz></axis>", "a second <axis>"),
        ("</dynamics>", "</dynamics><dynamics/>", "a second <dynamics>"),
        ("<xyz>0 1 0</xyz>", "<xyz>0 1 0</xyz><xyz>1 0 0</xyz>", "a second <xyz>"),
        ("<parent>a</parent>", "<parent>a</parent><parent>b</parent>", "a second <parent>"),
    ],
)
def test_an_element_that_may_stand_once_is_refused_twice(old, new, said):
    with pytest.raises(DescriptionError, match=said):
        da.load(changed(old, new))


@pytest.mark.parametrize(
    ("old", "new", "write"),
    [
        ("<xyz>0 1 0</xyz>", "", None),
        ("<axis><xyz>0 1 0</xyz>", '<axis xyz="0 1 0">', "<xyz>0 1 0</xyz>"),
        ("<limit>", '<limit effort="3">', "<effort>3</effort>"),
        ("<dynamics>", '<dynamics friction="0.1">', "<friction>0.1</friction>"),
        ("<inertia>", '<inertia ixy="0.01">', "<ixy>0.01</ixy>"),
        ("<mass>2</mass>", '<mass value="2"/>', "<mass>2</mass>"),
    ],
)
def test_attributes_in_the_way_of_urdf_are_refused_with_what_to_write(old, new, write):
    if write is None:  # the axis of SDF is z where none is given; that is said
        assert any("'j'" in n and "0 0 1" in n for n in da.load(changed(old, new)).notes)
        return
    with pytest.raises(DescriptionError) as caught:
        da.load(changed(old, new))
    assert write in str(caught.value)


def test_a_link_without_weight_is_named():
    off = changed("</inertia></inertial>", "</inertia></inertial><gravity>false</gravity>")
    assert any("'b'" in n and "gravity" in n for n in da.load(off).notes)
    on = off.replace("false", "true")
    assert da.load(on).notes == da.load(ARM).notes


def test_an_inertial_pose_has_no_other_frame():
    text = changed("<pose>.1 .2 .3 0 0 0</pose>", '<pose relative_to="a">.1 .2 .3 0 0 0</pose>')
    with pytest.raises(DescriptionError, match="relative_to"):
        da.load(text)


def test_an_axis_that_a_joint_does_not_have_is_noted():
    text = changed("</axis>", "</axis><axis2><xyz>1 0 0</xyz></axis2>")
    assert any("'j'" in n and "axis2" in n for n in da.load(text).notes)


def test_an_include_is_refused_at_any_depth():
    inner = '<model name="hand"><include><uri>model://hand</uri></include></model>'
    with pytest.raises(DescriptionError, match="include"):
        da.load(changed("</model></sdf>", inner + "</model></sdf>"))


@pytest.mark.parametrize("version", ["1.6", "1.9"])
def test_an_axis_in_the_model_frame_is_one_of_the_model(version):
    """SDF 1.5 and 1.6 have `use_parent_model_frame`; later ones ignore it, with a note."""
    text = changed("<pose>0 0 1 0 0 0</pose>", "<pose>0 0 1 1.2 0 0</pose>").replace(
        "</xyz>", "</xyz><use_parent_model_frame>true</use_parent_model_frame>"
    )
    m = da.load(text.replace('version="1.9"', f'version="{version}"'))
    along = np.asarray(da.jacobian(m, [0.3], frame="b"))[3:, 0]
    if version == "1.6":
        np.testing.assert_allclose(along, [0, 1, 0], atol=1e-12)
    else:
        np.testing.assert_allclose(along, [0, np.cos(1.2), np.sin(1.2)], atol=1e-12)
        assert any("use_parent_model_frame" in n for n in m.notes)


def test_an_axis_that_is_not_of_the_model_needs_no_note():
    text = changed("</xyz>", "</xyz><use_parent_model_frame>0</use_parent_model_frame>")
    assert not any("use_parent_model_frame" in n for n in da.load(text).notes)
