"""What the commands need of exercises.json, read without the judge: list, show, hint and reset work before it is built.

A course is one catalogue or several: the built-in one, and those of an instructor (--catalogue DIR). Only what these
commands use is looked at. The judge checks the whole file against its schema when it judges.
"""

import json
import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

ENVIRONMENT = "CUDA_JUDGE_CATALOGUE"  # further catalogues, as PATH has folders


class CourseError(ValueError):
    """exercises.json cannot be used; the message says what is wrong with it."""


class Exercise:
    kind = "exercise"

    def __init__(self, root: Path, content: Dict[str, Any]):
        self.root = root
        self.id: int = content["id"]
        self.slug: str = content["slug"]
        self.chapter: str = content["chapter"]
        self.level: str = content["level"]
        self.title: Dict[str, str] = _text(content["title"])
        self.hints: List[Dict[str, str]] = [_text(hint) for hint in content.get("hints", [])]
        if not isinstance(self.id, int) or not isinstance(self.slug, str) or not isinstance(self.chapter, str):
            raise TypeError("an id must be a number, a slug and a chapter must be texts")
        self.folder_name = f"{self.id:03d}_{self.slug}"
        self.folder = root / "practice" / self.folder_name
        self.file = self.folder / (self.slug + ".cu")  # what the student edits
        self.pristine = root / "reference" / self.folder_name / "stub.cu"

    def statement(self, lang: str) -> Path:
        translated = self.folder / f"statement.{lang}.md"
        return translated if lang != "en" and translated.is_file() else self.folder / "statement.md"


class Quiz(Exercise):
    kind = "quiz"

    def __init__(self, root: Path, content: Dict[str, Any]):
        super().__init__(root, {**content, "level": "quiz"})
        self.questions: List[Dict[str, Any]] = content["questions"]
        self.file = self.folder / "questions.cu"  # the kernels that are asked about; nobody edits it


def _text(value: Union[str, Dict[str, str]]) -> Dict[str, str]:
    """A text of the catalogue: an object by language, or a plain string, which is English."""
    if isinstance(value, str):
        return {"en": value}
    if not isinstance(value, dict):
        raise TypeError("titles and hints must be texts, or objects with a text per language")
    return value


class Course:
    def __init__(self, roots: Union[Path, Sequence[Path]]):
        self.roots: List[Path] = [roots] if isinstance(roots, Path) else list(roots)
        self.exercises: List[Exercise] = []
        self._chapters: Dict[str, Dict[str, str]] = {}
        for root in self.roots:
            self._read(root)
        self.exercises.sort(key=lambda e: e.id)

    def _read(self, root: Path) -> None:
        path = root / "exercises.json"
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            fresh = [Exercise(root, e) for e in content["exercises"]] + [Quiz(root, q) for q in content.get("quizzes", [])]
            for chapter in content.get("chapters", []):
                self._chapters.setdefault(chapter["slug"], _text(chapter["title"]))
        except OSError as error:
            raise CourseError(f"{path} cannot be read: {error.strerror}") from error
        except KeyError as error:
            raise CourseError(f"{path}: {error.args[0]!r} is missing in an exercise or a chapter") from error
        except (ValueError, TypeError, AttributeError) as error:
            raise CourseError(f"{path}: {error}") from error
        for exercise in fresh:
            self._refuse_clash(exercise, path)
        self.exercises += fresh

    def _refuse_clash(self, new: Exercise, path: Path) -> None:
        for known in self.exercises:
            if known.id == new.id:
                raise CourseError(f"{path}: exercise {new.id} ({new.slug}) has the id of {known.slug} in "
                                  f"{known.root / 'exercises.json'}; give it another one")
            if known.slug == new.slug:
                raise CourseError(f"{path}: exercise {new.id} has the slug {new.slug!r} of exercise {known.id} in "
                                  f"{known.root / 'exercises.json'}; give it another one")

    def __len__(self) -> int:
        return len(self.exercises)

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self.exercises)

    def find(self, name: str) -> Optional[Exercise]:
        number = int(name) if name.isascii() and name.isdigit() else None
        for exercise in self.exercises:
            if exercise.id == number if number is not None else name in (exercise.slug, exercise.folder_name):
                return exercise
        return None

    def chapters(self) -> Dict[str, List[Exercise]]:
        """Exercises by chapter, in the course's order."""
        found: Dict[str, List[Exercise]] = {slug: [] for slug in self._chapters}
        for exercise in self.exercises:
            found.setdefault(exercise.chapter, []).append(exercise)
        return {slug: exercises for slug, exercises in found.items() if exercises}

    def chapter_title(self, slug: str) -> Dict[str, str]:
        return self._chapters.get(slug, {"en": slug})


def catalogue_roots(built_in: Path, given: Sequence[str], with_built_in: bool = True) -> List[Path]:
    """The folders with an exercises.json, in the order of the course: the built-in one, $CUDA_JUDGE_CATALOGUE, --catalogue."""
    named = [part for part in os.environ.get(ENVIRONMENT, "").split(os.pathsep) if part] + list(given)
    roots = [built_in] if with_built_in or not named else []
    for name in named:
        root = Path(name).expanduser().resolve()
        if root not in roots:
            roots.append(root)
    return roots
