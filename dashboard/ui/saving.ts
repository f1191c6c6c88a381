/** Saves a form: once at a time, and a refusal stands at the field that it names. */
import { createSignal } from 'solid-js';
import { sentenceOf } from '../api/client.ts';
import { sayFailure } from './toasts.tsx';

/** The first name in quotes: the API's sentences name the field so. */
const namedField = /"([^"\s]+)"/;
/** Sentences about an address begin with its field. */
const leadingField = /^(\w+): /;

const entryOfList = /\[\d+\]$/;

/** @param hasField whether the form shows a field of this name, such as `redirects[0].to` */
export function createSaving(hasField: (name: string) => boolean) {
  const [isBusy, setIsBusy] = createSignal(false);
  const [failure, setFailure] = createSignal<{ field: string; text: string }>();
  return {
    isBusy,
    /** Why the value of a field was refused, or of an entry of its list. */
    failureAt: (field: string): string | undefined => {
      const refused = failure();
      return refused?.field.replace(entryOfList, '') === field || refused?.field === field
        ? refused.text
        : undefined;
    },
    /** The same for a form whose fields are found by more than their names. */
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

/** The sentence at the field itself, whose label says what it is about. */
function withoutField(text: string, field: string): string {
  if (!text.startsWith(`${field}: `)) return text;
  const sentence = text.slice(field.length + 2);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
