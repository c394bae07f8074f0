"""The e-mail processing service in a box: answers in many shapes, slowly, and with faults."""

from bot.playground.simulators.emails.shapes import FileShape, Shape
from bot.playground.simulators.emails.simulator import EmailsSimulator, Manners

__all__ = ["EmailsSimulator", "FileShape", "Manners", "Shape"]
