export const find = (query: string, from: ParentNode = document) => from.querySelector<HTMLElement>(query);
export const findAll = (query: string, from: ParentNode = document) => [
  ...from.querySelectorAll<HTMLElement>(query),
];
