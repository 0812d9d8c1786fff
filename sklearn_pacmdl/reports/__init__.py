"""Reports: one self-contained page of HTML that says what was found and what holds."""

from ._audits import certificate_report
from ._contents import Column, Picture, Section, Table
from ._report import Report

__all__ = ["Column", "Picture", "Report", "Section", "Table", "certificate_report"]
