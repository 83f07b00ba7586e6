// Errors of alerts: rules, sinks, and what could not be sent.
import { defineErrors } from './entry.ts';

export const alertErrors = defineErrors({
  alert_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no alert {alert}.',
    next: 'Check the id; "millrace alerts list" shows the alerts of your tenant.',
  },
  alert_rule_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no alert rule {rule}.',
    next: 'Check the name; "millrace alerts rules" shows the rules of your tenant.',
  },
  alert_rule_name_taken: {
    kind: 'conflict',
    status: 409,
    message: 'There is an alert rule {rule} already.',
    next: 'Choose another name, or change that rule.',
  },
  alert_rule_default: {
    kind: 'conflict',
    status: 409,
    message: 'The alert rule {rule} is a default of the installation and cannot be removed.',
    next: 'Switch it off instead: change it with enabled: false.',
  },
  alert_rule_field_unfit: {
    kind: 'input',
    status: 422,
    message: 'The alert rule {rule} has no {field}.',
    next: 'Comparison and threshold belong to rules on a metric; leave them out here.',
  },
  alert_sink_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no alert sink {sink}.',
    next: 'Check the id; "millrace alerts sinks list" shows the sinks of your tenant.',
  },
  alert_sink_name_taken: {
    kind: 'conflict',
    status: 409,
    message: 'There is an alert sink named "{name}" already.',
    next: 'Choose another name.',
  },
  alert_sink_field_unfit: {
    kind: 'input',
    status: 422,
    message: 'An alert sink for {kind} has no {field}.',
    next: 'Leave it out, or create a sink of the other kind.',
  },
  alert_sink_unreadable: {
    kind: 'config',
    status: 500,
    message: 'The stored address of alert sink {sink} cannot be decrypted with the current key.',
    next: 'Restore the former CONNECTOR_SECRET_KEY, or give the sink its address again.',
  },
  alert_refused: {
    kind: 'config',
    status: 502,
    message: 'The receiver of alert sink {sink} answered {status} and will not take the message.',
    next: 'Check that its address or key is still valid there, then send a test.',
  },
  alert_unsent: {
    kind: 'transient',
    status: 502,
    message: 'The receiver of alert sink {sink} answered {status}.',
    next: 'Millrace tries again by itself; see that service’s own status page if this goes on.',
  },
  alert_slowed: {
    kind: 'rate_limited',
    status: 429,
    message: 'The receiver of alert sink {sink} asked to slow down.',
    next: 'Millrace sends the rest when the receiver allows it; send fewer alerts there if this goes on.',
  },
});
