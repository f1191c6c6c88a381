/** While a file is fetched or the disk is watched, no program runs. */
export const noTools = {
  run: () => Promise.reject(new Error('There is no container to run a program in.')),
};
