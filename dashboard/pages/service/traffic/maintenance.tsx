/** The maintenance page, the limits of requests, and the log of requests. */

import { serviceText } from '../../../text/service-text.ts';
import { CheckField, ChoiceField, TextField } from '../../../ui/field.tsx';
import { Show } from '../../../ui/show.ts';
import type { PartProps } from './traffic-part.ts';
import { trafficText } from './traffic-text.ts';

export function Maintenance(props: PartProps) {
  return (
    <section class="rule-part">
      <CheckField
        label={trafficText.maintenance}
        help={trafficText.maintenanceHelp}
        checked={props.draft.hasMaintenance}
        onInput={(on) => props.setDraft('hasMaintenance', on)}
      />
      <Show when={props.draft.hasMaintenance}>
        <div class="field-grid">
          <TextField
            label={trafficText.retryAfter}
            type="number"
            placeholder="300"
            failure={props.failureAt('maintenance.retryAfterSeconds')}
            value={props.draft.retryAfterSeconds}
            onInput={(text) => props.setDraft('retryAfterSeconds', text)}
          />
          <TextField
            label={trafficText.allowed}
            help={trafficText.allowedHelp}
            mono
            rows={2}
            failure={props.failureAt('maintenance.allowedAddresses')}
            value={props.draft.allowedAddresses}
            onInput={(text) => props.setDraft('allowedAddresses', text)}
          />
          <TextField
            label={trafficText.domains}
            mono
            rows={2}
            placeholder={trafficText.allNames}
            failure={props.failureAt('maintenance.domains')}
            value={props.draft.maintenanceDomains}
            onInput={(text) => props.setDraft('maintenanceDomains', text)}
          />
        </div>
      </Show>
    </section>
  );
}

const noLimit = { value: '', text: serviceText.noLimit };
const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];
const seconds = [5, 10, 30, 60, 120, 300];
const idleSeconds = [10, 60, 600];
const choicesOf = (numbers: readonly number[], text: (n: number) => string) => [
  noLimit,
  ...numbers.map((n) => ({ value: String(n), text: text(n) })),
];

export function Limits(props: PartProps) {
  return (
    <section class="rule-part">
      <h3>{trafficText.limits}</h3>
      <div class="field-grid">
        <ChoiceField
          label={trafficText.maxBody}
          choices={choicesOf(sizes, trafficText.megabytes)}
          value={props.draft.maxBodyMegabytes}
          onInput={(text) => props.setDraft('maxBodyMegabytes', text)}
        />
        <ChoiceField
          label={trafficText.firstByte}
          choices={choicesOf(seconds, trafficText.seconds)}
          value={props.draft.firstByteTimeoutSeconds}
          onInput={(text) => props.setDraft('firstByteTimeoutSeconds', text)}
        />
        <ChoiceField
          label={trafficText.idle}
          help={trafficText.idleHelp}
          choices={choicesOf(idleSeconds, trafficText.seconds)}
          value={props.draft.idleTimeoutSeconds}
          onInput={(text) => props.setDraft('idleTimeoutSeconds', text)}
        />
      </div>
    </section>
  );
}

export function AccessLog(props: PartProps) {
  return (
    <section class="rule-part">
      <CheckField
        label={trafficText.accessLog}
        help={trafficText.accessLogHelp}
        checked={props.draft.hasAccessLog}
        onInput={(on) => props.setDraft('hasAccessLog', on)}
      />
      <Show when={props.draft.hasAccessLog}>
        <div class="field-grid">
          <TextField
            label={trafficText.accessLogPercent}
            help={trafficText.accessLogPercentHelp}
            type="number"
            required
            failure={props.failureAt('accessLog.sample')}
            value={props.draft.accessLogPercent}
            onInput={(text) => props.setDraft('accessLogPercent', text)}
          />
        </div>
      </Show>
    </section>
  );
}
