/** Where a command runs, as a choice: in a new container, or in the running one with its volumes. */
import { t } from '../../text/text.ts';
import { ChoiceField } from '../../ui/field.tsx';
import type { Run } from './queries.ts';

type Container = Run['container'];

const containers = Object.keys(t.commands.containerChoices) as Container[];

export const ContainerField = (props: {
  value: Container;
  failure: string | undefined;
  onInput(container: Container): void;
}) => (
  <ChoiceField
    label={t.commands.container}
    help={t.commands.containerHelp[props.value]}
    failure={props.failure}
    choices={containers.map((value) => ({ value, text: t.commands.containerChoices[value] }))}
    value={props.value}
    onInput={(text) => props.onInput(containers.find((one) => one === text) ?? 'new')}
  />
);
