/** The error sentence of a failure that has changed nothing. @param words with or without a full stop at the end */
export const nothingChanged = (words: string) => `${words.replace(/[\s.]+$/, '')}. Nothing was changed.`;
