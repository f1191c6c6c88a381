/** Makes an alert rule for a project, or changes one. */
import { createSignal } from 'solid-js';
import type { PostProjectAlertRulesBody } from '../../../client/client.ts';
import { api } from '../../api/client.ts';
import type { Project } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { ChoiceField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { createSaving } from '../../ui/saving.ts';
import { Show } from '../../ui/show.ts';
import { say } from '../../ui/toasts.tsx';
import type { AlertRule } from './queries.ts';

interface EditRuleProps {
  project: Project;
  /** Undefined: a new one. */
  rule: AlertRule | undefined;
  onSaved(): void;
  onClose(): void;
}

type Metric = PostProjectAlertRulesBody['metric'];
/** The disk is watched of hosts only. */
const metrics = Object.keys(t.notices.metrics).filter((name) => name !== 'diskPercent') as Metric[];
const metricChoices = metrics.map((value) => ({ value, text: t.notices.metrics[value] }));
const metricOf = (name: string | undefined): Metric => metrics.find((one) => one === name) ?? 'cpuPercent';
const comparisons = (['above', 'below'] as const).map((value) => ({
  value,
  text: t.notices.comparisons[value],
}));
const shown = ['name', 'metric', 'comparison', 'threshold', 'forSeconds', 'serviceId'];

export function EditRule(props: EditRuleProps) {
  const { rule } = props;
  const [name, setName] = createSignal(rule?.name ?? '');
  const [serviceId, setServiceId] = createSignal(rule?.serviceId ?? '');
  const [metric, setMetric] = createSignal<Metric>(metricOf(rule?.metric));
  const [comparison, setComparison] = createSignal(rule?.comparison ?? 'above');
  const [threshold, setThreshold] = createSignal(String(rule?.threshold ?? 80));
  const [forSeconds, setForSeconds] = createSignal(String(rule?.forSeconds ?? 300));
  const { isBusy, failureAt, save } = createSaving((field) => shown.includes(field));
  const send = () => {
    const body = {
      name: name(),
      metric: metric(),
      comparison: comparison(),
      threshold: Number(threshold()),
      forSeconds: Number(forSeconds()),
    };
    if (rule) return api.call('PATCH /api/alert-rules/:ruleId', { params: { ruleId: rule.id }, body });
    return api.call('POST /api/projects/:projectId/alert-rules', {
      params: { projectId: props.project.id },
      body: { ...body, ...(serviceId() === '' ? {} : { serviceId: serviceId() }) },
    });
  };
  const submit = () =>
    save(async () => {
      await send();
      say(t.notices.saved(name()));
      props.onSaved();
    });
  return (
    <FormDialog
      title={rule ? t.variables.edit(rule.name) : t.notices.addRule}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={t.notices.name}
        required
        autofocus
        failure={failureAt('name')}
        value={name()}
        onInput={setName}
      />
      <div class="field-grid">
        <Show when={!rule}>
          <ChoiceField
            label={t.notices.watched}
            choices={[
              { value: '', text: t.notices.eachService },
              ...props.project.services.map(({ id, name: text }) => ({ value: id, text })),
            ]}
            failure={failureAt('serviceId')}
            value={serviceId()}
            onInput={setServiceId}
          />
        </Show>
        <ChoiceField
          label={t.notices.metric}
          choices={metricChoices}
          failure={failureAt('metric')}
          value={metric()}
          onInput={(text) => setMetric(metricOf(text))}
        />
        <ChoiceField
          label={t.notices.comparison}
          choices={comparisons}
          failure={failureAt('comparison')}
          value={comparison()}
          onInput={(text) => setComparison(text === 'below' ? 'below' : 'above')}
        />
        <TextField
          label={t.notices.threshold}
          type="number"
          help={t.notices.thresholdHelp}
          required
          failure={failureAt('threshold')}
          value={threshold()}
          onInput={setThreshold}
        />
        <TextField
          label={t.notices.forSeconds}
          type="number"
          help={t.notices.forSecondsHelp}
          required
          failure={failureAt('forSeconds')}
          value={forSeconds()}
          onInput={setForSeconds}
        />
      </div>
    </FormDialog>
  );
}
