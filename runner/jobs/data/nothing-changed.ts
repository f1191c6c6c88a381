/** The sentence of a failure that has left all as it was. @param words with or without a full stop of their own */
export const nothingChanged = (words: string) => `${words.replace(/[\s.]+$/, '')}. Nothing was changed.`;
