export { SpaceDetail as default } from '@/features/coworking/components/space-detail';
