import { applyDecorators } from '@nestjs/common';

export const DescribeCreate = () => applyDecorators();
export const DescribeList = () => applyDecorators();
export const DescribeRead = () => applyDecorators();
export const DescribeTimeline = () => applyDecorators();
