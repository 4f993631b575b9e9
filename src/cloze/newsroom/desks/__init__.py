"""The desks of the newsroom; an article comes from one of them, with
asides from anywhere and profiles of those who are in it."""

from cloze.newsroom.desks import (
    arts,
    asides,
    business,
    courts,
    hazards,
    politics,
    profiles,
    science,
    sport,
)
from cloze.newsroom.frame import parse_desk

DESKS = tuple(
    parse_desk(desk.TEXT) for desk in (arts, business, courts, hazards, politics, science, sport)
)
ASIDES = parse_desk(asides.TEXT)
PROFILES = {frame.name: frame for frame in parse_desk(profiles.TEXT)}
