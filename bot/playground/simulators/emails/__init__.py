"""An e-mail processing service on loopback: answers in many shapes, delays and faults."""

from bot.playground.simulators.emails.shapes import FileShape, Shape
from bot.playground.simulators.emails.simulator import EmailsSimulator, Manners

__all__ = ["EmailsSimulator", "FileShape", "Manners", "Shape"]
