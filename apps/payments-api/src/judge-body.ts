import { getMetadataStorage, validateSync } from 'class-validator';
import type { Problem } from '#problems/problems.js';
import { faultOf } from './validators.js';

export type Refused = { kind: 'refused'; problem: Problem };
type Judged<Dto> = { kind: 'accepted'; dto: Dto } | Refused;

/**
 * Makes the judge of bodies of one kind: business validation of what was strictly parsed. It only judges;
 * whether the verdict is ever told depends on the key. class-validator stands behind our own look at the
 * members: it lets names such as `constructor` through, and takes null for absent.
 */
export function bodyJudge<Dto extends object>(Body: new () => Dto): (body: unknown) => Judged<Dto> {
  const members = membersOf(Body);
  return (body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      return invalid(null, 'The body must be a JSON object.');
    }
    for (const [member, value] of Object.entries(body)) {
      if (!members.has(member)) return invalid(member, `${member} is not a known field.`);
      if (value === null)
        return invalid(member, `${member} must not be null; leave it out instead.`);
    }
    const dto = Object.assign(new Body(), body);
    const [error] = validateSync(dto, {
      stopAtFirstError: true,
      validationError: { target: false },
    });
    if (error === undefined) return { kind: 'accepted', dto };
    return invalid(paramOf(error.property, body), firstMessage(error.constraints));
  };
}

function membersOf(Body: new () => object): Set<string> {
  const all = getMetadataStorage().getTargetValidationMetadatas(Body, '', false, false);
  return new Set(all.map(({ propertyName }) => propertyName));
}

function invalid(param: string | null, detail: string): Refused {
  return { kind: 'refused', problem: { code: 'validation_failed', param, detail } };
}

function paramOf(property: string, body: object): string {
  if (property !== 'metadata') return property;
  const member = faultOf((body as { metadata?: unknown }).metadata)?.member ?? null;
  return member === null ? property : `${property}.${member}`;
}

function firstMessage(constraints: Record<string, string> | undefined): string {
  const [message] = Object.values(constraints ?? {});
  return message === undefined ? 'The field is not valid.' : `${message}.`;
}
