// A gauge of GET /metrics. Asked for again (several apps in one process), it is the same one.
import { Gauge, register } from 'prom-client';

export function gauge(name: string, help: string, labelNames: string[] = []): Gauge {
  return (register.getSingleMetric(name) as Gauge | undefined) ?? new Gauge({ name, help, labelNames });
}
