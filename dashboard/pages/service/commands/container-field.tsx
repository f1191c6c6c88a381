/** Where a command runs, as a choice: in a new container, or in the running one with its volumes. */

import { ChoiceField } from '../../../ui/field.tsx';
import { commandsText } from './commands-text.ts';
import type { Run } from './run-queries.ts';

type Container = Run['container'];

const containers = Object.keys(commandsText.containerChoices) as Container[];

export const ContainerField = (props: {
  value: Container;
  failure: string | undefined;
  onInput(container: Container): void;
}) => (
  <ChoiceField
    label={commandsText.container}
    help={commandsText.containerHelp[props.value]}
    failure={props.failure}
    choices={containers.map((value) => ({ value, text: commandsText.containerChoices[value] }))}
    value={props.value}
    onInput={(text) => props.onInput(containers.find((one) => one === text) ?? 'new')}
  />
);
