/** Creates or changes an alert rule: its metric, and whether it applies to one or all services of a project, or to one or all hosts. */
import { createSignal } from 'solid-js';
import { noticesText } from '../../../text/notices-text.ts';
import { variablesText } from '../../../text/service-text.ts';
import { ChoiceField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { say } from '../../../ui/toasts.tsx';
import type { AlertRule } from './notification-queries.ts';

type Named = keyof typeof noticesText.metrics;

export interface TypedRule<Metric> {
  name: string;
  metric: Metric;
  comparison: 'above' | 'below';
  threshold: number;
  forSeconds: number;
}

interface EditRuleProps<Without extends Named> {
  /** Undefined: a new one. */
  rule: AlertRule | undefined;
  /** The field for the subject of a new rule. */
  field: 'serviceId' | 'runnerId';
  /** Label of the choice of all services or hosts. */
  all: string;
  watched: readonly { id: string; name: string }[];
  /** Metrics that are not available here. */
  without: Without;
  /** @param id undefined: all of them */
  send(body: TypedRule<Exclude<Named, Without>>, id: string | undefined): Promise<unknown>;
  onClose(): void;
}

const comparisons = (['above', 'below'] as const).map((value) => ({
  value,
  text: noticesText.comparisons[value],
}));

export function EditRule<Without extends Named>(props: EditRuleProps<Without>) {
  type Metric = Exclude<Named, Without>;
  const { rule } = props;
  const shown = ['name', 'metric', 'comparison', 'threshold', 'forSeconds', props.field];
  const metrics = Object.keys(noticesText.metrics).filter((name) => name !== props.without) as Metric[];
  const [name, setName] = createSignal(rule?.name ?? '');
  const [watched, setWatched] = createSignal('');
  const [metric, setMetric] = createSignal<string>(rule?.metric ?? 'cpuPercent');
  const [comparison, setComparison] = createSignal(rule?.comparison ?? 'above');
  const [threshold, setThreshold] = createSignal(String(rule?.threshold ?? 80));
  const [forSeconds, setForSeconds] = createSignal(String(rule?.forSeconds ?? 300));
  const { isBusy, failureAt, save } = createSaving((field) => shown.includes(field));
  const submit = () =>
    save(async () => {
      const body = {
        name: name(),
        metric: metric() as Metric,
        comparison: comparison(),
        threshold: Number(threshold()),
        forSeconds: Number(forSeconds()),
      };
      await props.send(body, watched() || undefined);
      say(noticesText.saved(name()));
    });
  return (
    <FormDialog
      title={rule ? variablesText.edit(rule.name) : noticesText.addRule}
      wide
      isBusy={isBusy()}
      submit={submit}
      onClose={props.onClose}
    >
      <TextField
        label={noticesText.name}
        required
        autofocus
        failure={failureAt('name')}
        value={name()}
        onInput={setName}
      />
      <div class="field-grid">
        <Show when={!rule}>
          <ChoiceField
            label={noticesText.watched}
            choices={[
              { value: '', text: props.all },
              ...props.watched.map(({ id, name: text }) => ({ value: id, text })),
            ]}
            failure={failureAt(props.field)}
            value={watched()}
            onInput={setWatched}
          />
        </Show>
        <ChoiceField
          label={noticesText.metric}
          choices={metrics.map((value) => ({ value, text: noticesText.metrics[value] }))}
          failure={failureAt('metric')}
          value={metric()}
          onInput={setMetric}
        />
        <ChoiceField
          label={noticesText.comparison}
          choices={comparisons}
          failure={failureAt('comparison')}
          value={comparison()}
          onInput={(text) => setComparison(text === 'below' ? 'below' : 'above')}
        />
        <TextField
          label={noticesText.threshold}
          type="number"
          help={noticesText.thresholdHelp}
          required
          failure={failureAt('threshold')}
          value={threshold()}
          onInput={setThreshold}
        />
        <TextField
          label={noticesText.forSeconds}
          type="number"
          help={noticesText.forSecondsHelp}
          required
          failure={failureAt('forSeconds')}
          value={forSeconds()}
          onInput={setForSeconds}
        />
      </div>
    </FormDialog>
  );
}
