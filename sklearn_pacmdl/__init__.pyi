# The public names of the package and the rooms they are in; __init__.py reads this table.
from . import audits as audits
from . import bounds as bounds
from . import certificates as certificates
from . import certification as certification
from . import cluster as cluster
from . import datasets as datasets
from . import displays as displays
from . import labeling as labeling
from . import languages as languages
from . import metrics as metrics
from . import model_selection as model_selection
from . import random_choice as random_choice
from . import reports as reports
from . import worksheets as worksheets
from .audits import AuditMonitor as AuditMonitor
from .audits import audit_size as audit_size
from .audits import certify_difference as certify_difference
from .audits import certify_labels as certify_labels
from .audits import certify_share as certify_share
from .audits import class_report as class_report
from .audits import draw_audit as draw_audit
from .audits import finish_labels as finish_labels
from .audits import plan_finish as plan_finish
from .bounds import bmax as bmax
from .bounds import labels_needed as labels_needed
from .bounds import pac_mdl_bound as pac_mdl_bound
from .certificates import BoundCertificate as BoundCertificate
from .certification import certify_clusterings as certify_clusterings
from .displays import CoverageDisplay as CoverageDisplay
from .displays import FinishedLabelsDisplay as FinishedLabelsDisplay
from .displays import LabelBudgetDisplay as LabelBudgetDisplay
from .displays import PACMDLDisplay as PACMDLDisplay
from .labeling import ClusterLabelClassifier as ClusterLabelClassifier
from .model_selection import PACMDLSearchCV as PACMDLSearchCV
from .model_selection import TransductiveSplit as TransductiveSplit

__version__: str
