import { z } from 'zod';
import { notes } from './field-notes.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** Characters that display a name in a different order: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters */
const directionControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * Names for people, of any resource: they appear in deletion dialogs, terminals and messages.
 * @param max characters
 */
export const nameOf = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `is too long: at most ${max} characters`)
    .refine((text) => !controlCharacters.test(text), "can't hold control characters")
    .refine(
      (text) => !directionControls.test(text),
      "can't hold characters that change the direction of text",
    )
    .refine((text) => text.isWellFormed(), 'must be valid Unicode, without half of a surrogate pair')
    .meta(notes.name);

/** Names of projects, services, keys and hosts. */
export const nameSchema = nameOf(100);
