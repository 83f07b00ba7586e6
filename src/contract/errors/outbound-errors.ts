// Errors of what goes out: calls to addresses that others chose, webhooks and their deliveries.
import { defineErrors } from './entry.ts';

export const outboundErrors = defineErrors({
  outbound_url_invalid: {
    kind: 'input',
    status: 422,
    message: 'Millrace cannot call this address: {reason}.',
    next: 'Give an http or https address without user name and password in it.',
  },
  outbound_address_refused: {
    kind: 'config',
    status: 422,
    message: 'The host {host} is at a private, local or reserved address, and Millrace does not call such addresses.',
    next: 'Give a public address; the operator may allow private ones (ALLOW_PRIVATE_WEBHOOKS, for sources ALLOW_PRIVATE_SOURCES), but never the metadata addresses of clouds.',
  },
  outbound_timeout: {
    kind: 'transient',
    status: 504,
    message: 'The host {host} did not answer within {seconds} s.',
    next: 'Millrace tries again; see why that server is slow if this goes on.',
  },
  outbound_unreachable: {
    kind: 'transient',
    status: 502,
    message: 'The host {host} could not be reached: {reason}.',
    next: 'Millrace tries again; check the address and that server if this goes on.',
  },
  webhook_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no webhook endpoint {endpoint}.',
    next: 'Check the id; "millrace webhooks list" shows the endpoints of your tenant.',
  },
  webhook_limit: {
    kind: 'conflict',
    status: 409,
    message: 'This tenant already has {limit} webhook endpoints, which is the limit.',
    next: 'Remove one that is no longer needed.',
  },
  webhook_disabled: {
    kind: 'conflict',
    status: 409,
    message: 'Webhook endpoint {endpoint} is switched off ({reason}).',
    next: 'Switch it on again ("millrace webhooks enable"), then recover what it missed.',
  },
  webhook_gone: {
    kind: 'config',
    status: 410,
    message: 'The receiver of webhook endpoint {endpoint} answered 410 Gone.',
    next: 'The endpoint is switched off. Give it a new address, switch it on, and recover what it missed.',
  },
  webhook_refused: {
    kind: 'transient',
    status: 502,
    message: 'The receiver of webhook endpoint {endpoint} answered {status}.',
    next: 'Millrace tries again with growing pauses; anything but 2xx counts as refused.',
  },
  webhook_redirected: {
    kind: 'config',
    status: 502,
    message:
      'The receiver of webhook endpoint {endpoint} answered with a redirect ({status}); Millrace follows no redirects.',
    next: 'Give the endpoint the address the redirect leads to.',
  },
  webhook_rate_limited: {
    kind: 'rate_limited',
    status: 503,
    message: 'The receiver of webhook endpoint {endpoint} asked to slow down ({status}).',
    next: 'Millrace goes on at the time that the receiver named; this costs no attempt.',
  },
  webhook_interrupted: {
    kind: 'lost',
    status: 503,
    message:
      'The process that was delivering to webhook endpoint {endpoint} stopped before it could record the answer.',
    next: 'Millrace delivers it again with the same webhook-id.',
  },
  webhook_secret_unreadable: {
    kind: 'config',
    status: 500,
    message: 'The stored secret of webhook endpoint {endpoint} cannot be decrypted with the current key.',
    next: 'Restore the former CONNECTOR_SECRET_KEY, or rotate the secret of the endpoint.',
  },
  delivery_not_found: {
    kind: 'input',
    status: 404,
    message: 'There is no delivery {delivery} to webhook endpoint {endpoint}.',
    next: 'Check the id; "millrace webhooks deliveries" lists them.',
  },
});
