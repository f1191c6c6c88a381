/** Saves a form: one request at a time, and a refusal is shown at its field. */
import { createSignal } from 'solid-js';
import { sentenceOf } from '../api/client.ts';
import { dropFailures, sayFailure } from './toasts.tsx';

/** The first name in quotes: in the API's sentences, this is the field. */
const namedField = /"([^"\s]+)"/;
/** Sentences about an address begin with the field. */
const leadingField = /^(\w+): /;

const entryOfList = /\[\d+\]$/;

/** @param hasField whether the form has a field with this name, such as `redirects[0].to` */
export function createSaving(hasField: (name: string) => boolean) {
  const [isBusy, setIsBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<{ field: string; text: string }>();
  return {
    isBusy,
    /** Why the value of a field, or an entry of its list, was refused. */
    failureAt: (field: string): string | undefined => {
      const refused = failure();
      return refused?.field.replace(entryOfList, '') === field || refused?.field === field
        ? refused.text
        : undefined;
    },
    /** The same for forms whose fields are not found by name alone. */
    failureOf: (isField: (named: string) => boolean): string | undefined => {
      const refused = failure();
      return refused && isField(refused.field) ? refused.text : undefined;
    },
    /** @returns whether it succeeded */
    async save(action: () => Promise<unknown>): Promise<boolean> {
      if (isBusy()) return false;
      setIsBusy(true);
      setFailure(undefined);
      try {
        await action();
        dropFailures();
        return true;
      } catch (error) {
        const text = sentenceOf(error);
        const named = [leadingField, namedField].map((pattern) => pattern.exec(text)?.[1] ?? '');
        const field = named.find((name) => name !== '' && hasField(name));
        if (field !== undefined) setFailure({ field, text: withoutField(text, field) });
        else sayFailure(error);
        return false;
      } finally {
        setIsBusy(false);
      }
    },
  };
}

/** The sentence without the field's name, for display at the field itself. */
function withoutField(text: string, field: string): string {
  if (!text.startsWith(`${field}: `)) return text;
  const sentence = text.slice(field.length + 2);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
