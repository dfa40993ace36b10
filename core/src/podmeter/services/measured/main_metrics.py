"""What the cases of each kind are about. A new kind is one line here.

A case's main metric is the first of its kind's that its trials measured: a rung that is climbed
has its convergence, a request's probe its rate.
"""

from podmeter.domain.experiment import KindName
from podmeter.experiments.service_scale import metrics as service_scale
from podmeter.experiments.throughput import metrics as throughput

MAIN_METRICS: dict[KindName, tuple[str, ...]] = {
    KindName.THROUGHPUT: (throughput.THROUGHPUT.name,),
    KindName.SERVICE_SCALE: (
        service_scale.QPS.name,
        service_scale.TOTAL_MEAN.name,
        service_scale.RULE_ADD.name,
        service_scale.SERVICE_READY.name,
        service_scale.CONVERGENCE.name,
    ),
}
